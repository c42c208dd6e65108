#pragma once
// A bar in a table cell that shows the parts of a time.

#include <string>
#include <vector>

namespace ddlsim {

/// Returns a <td> with a bar of at most seven parts; the text under the pointer names them with their shares. Parts
/// below 0 appear in that text only, and the bar has the length of the others.
std::string parts_bar_cell(const std::vector<std::string>& names, const std::vector<double>& parts);

/// Returns the legend of the bars' colours: the names in the order of the parts.
std::string parts_legend(const std::vector<std::string>& names);

} // namespace ddlsim
