#pragma once
// Text for a terminal: numbers, sentences broken into lines, aligned columns, small curves, intervals, progress.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

std::string seconds_text(double time_s); ///< writes a time as "367.2 ms"
std::string percent_text(double share);  ///< writes a share as "95.9 %"

constexpr std::size_t report_columns = 120; ///< number of characters of the widest line of a report

/// Breaks a sentence at blanks into lines of at most `columns` characters. All lines but the first are indented by two.
/// A longer word has a line of its own. Every line ends with a line end.
std::string to_lines(std::string_view sentence, std::size_t columns = report_columns);

/// Shortens the text to at most `most` bytes. "..." replaces its middle, because names of one list usually differ at
/// their ends. No UTF-8 character is cut.
std::string cut_in_the_middle(std::string_view text, std::size_t most);

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

/// Aligns the rows in columns. A row with fewer cells than columns ends in empty cells. There are two spaces between
/// columns and no blanks at line ends.
std::string to_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

// Figures in text: a small curve, a number with its 90 % interval, and how far work has come.

struct ChartLine {
  char mark = 'a';
  std::vector<double> shares; ///< one share for each column, 0 to 1; negative: nothing to draw
};

/// Rows from 100 % down to 0 % in steps of 10 %, a column a label; '*' where lines meet. Each row "100 % |   a   a",
/// then the labels.
std::string to_chart(const std::vector<std::string>& labels, const std::vector<ChartLine>& lines);

/// A number and its 90 % interval for one cell of a table, as in "395.3 ms (363..440)". The bounds are in the unit of
/// the number.
struct IntervalText {
  std::string value;  ///< four significant digits with the unit
  std::string bounds; ///< three digits each, in the unit of the value: "(363..440)"
};

/// a time with its interval: "395.3 ms", "(363..440)"
IntervalText seconds_interval(double time_s, double low_s, double high_s);
/// A rate with its interval: "28.96k", "(25.2..31.1)". It is in thousands (k) from ten thousand on, and in millions (M)
/// from ten million on.
IntervalText rate_interval(double samples_per_s, double low_per_s, double high_per_s);
/// a share with its interval: "92.9 %", "(83..101)"
IntervalText percent_interval(double share, double low, double high);

std::string short_seconds_text(double time_s); ///< a time with three significant digits: "24.3 ms", "-1.20 s"

/// Makes the cells of one column. All values end at one place, and all bounds begin at one place. An empty value gives
/// an empty cell.
std::vector<std::string> align_intervals(const std::vector<IntervalText>& intervals);

/// Numbers of tasks: those that had ended before this run, those that have ended since, and all tasks.
struct TaskCount {
  std::size_t before = 0;
  std::size_t ended = 0;
  std::size_t all = 0;
};

/// Returns "[=====   ] 20 of 40 scenarios, 3 min left". The time left assumes that each task takes as long as those
/// that this run has ended. The text is shorter than `columns`; it has no bar where there is no room for one.
std::string progress_text(const TaskCount& count, const std::string& tasks, double passed_s, std::size_t columns);

} // namespace ddlsim
