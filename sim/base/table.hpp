#pragma once
// Text for a terminal: numbers, sentences in lines, aligned columns.

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

/// At most `most` bytes: what is left out of the middle, where names of one list are mostly alike, is "...". Never half a
/// character of UTF-8.
std::string cut_in_the_middle(std::string_view text, std::size_t most);

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

/// Rows of as many cells as there are columns (fewer are filled with nothing); two spaces between columns, no trailing
/// blanks.
std::string to_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

} // namespace ddlsim
