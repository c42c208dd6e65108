#pragma once
// A bar of the parts of a time, in a cell of a table.

#include <string>
#include <vector>

namespace ddlsim {

/// <td> with a bar of at most seven parts, which are named with their shares under the pointer. Parts below 0 are
/// in the text only; the bar has the length of the others.
std::string parts_bar_cell(const std::vector<std::string>& names, const std::vector<double>& parts);

/// The names of the colours of the bars, in their order.
std::string parts_legend(const std::vector<std::string>& names);

} // namespace ddlsim
