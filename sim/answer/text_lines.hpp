#pragma once
// Sentences of a report in lines that a terminal does not break.

#include <string>
#include <string_view>

namespace ddlsim {

constexpr std::size_t report_columns = 120; ///< the widest line of a report, in characters

/// Lines of at most `columns` characters, broken at blanks, all but the first indented by two; a longer word has a line
/// of its own. Each line, the last too, ends with a line end.
std::string to_lines(std::string_view sentence, std::size_t columns = report_columns);

} // namespace ddlsim
