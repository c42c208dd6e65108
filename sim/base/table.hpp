#pragma once
// Text for a terminal: numbers, sentences in lines, aligned columns, small curves, intervals, how far work has come.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

std::string seconds_text(double time_s); ///< "367.2 ms"
std::string percent_text(double share);  ///< "95.9 %"

constexpr std::size_t report_columns = 120; ///< the widest line of a report, in characters

/// Lines of at most `columns` characters, broken at blanks, all but the first indented by two; a longer word has a line
/// of its own. Each line, the last too, ends with a line end.
std::string to_lines(std::string_view sentence, std::size_t columns = report_columns);

/// The text in at most `most` bytes. "..." replaces its middle, in which the names of a list are mostly alike. Never
/// half a character of UTF-8.
std::string cut_in_the_middle(std::string_view text, std::size_t most);

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

/// Rows of as many cells as there are columns (fewer are filled with nothing); two spaces between columns, no trailing
/// blanks.
std::string to_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

// Figures in text: a small curve, a number with its 90 % interval, and how far work has come.

struct ChartLine {
  char mark = 'a';
  std::vector<double> shares; ///< one a column, 0..1; negative: nothing to draw
};

/// Rows from 100 % down to 0 % in steps of 10 %, a column a label; '*' where lines meet. Each row "100 % |   a   a",
/// then the labels.
std::string to_chart(const std::vector<std::string>& labels, const std::vector<ChartLine>& lines);

/// A number with its 90 % interval in one cell of a table: "395.3 ms (363..440)", the bounds in the number's unit.
struct IntervalText {
  std::string value;  ///< four significant digits with its unit
  std::string bounds; ///< "(363..440)": three digits, in the value's unit
};

IntervalText seconds_interval(double time_s, double low_s, double high_s); ///< "395.3 ms", "(363..440)"
/// A rate, in thousands (k) from ten thousand on, in millions (M) from ten million on: "28.96k", "(25.2..31.1)".
IntervalText rate_interval(double samples_per_s, double low_per_s, double high_per_s);
IntervalText percent_interval(double share, double low, double high); ///< "92.9 %", "(83..101)"

std::string short_seconds_text(double time_s); ///< three significant digits: "24.3 ms", "-1.20 s"

/// The cells of one column: values end, and bounds begin, at the same place in all of them. An empty value has an empty
/// cell.
std::vector<std::string> align_intervals(const std::vector<IntervalText>& intervals);

/// Tasks that have ended before this run, that have ended now, and that there are.
struct TaskCount {
  std::size_t before = 0;
  std::size_t ended = 0;
  std::size_t all = 0;
};

/// "[=====     ] 20 of 40 scenarios, 3 min left": as long again for each task as for those that this run ended. Less
/// than `columns` wide: where the bar finds no place it is left out.
std::string progress_text(const TaskCount& count, const std::string& tasks, double passed_s, std::size_t columns);

} // namespace ddlsim
