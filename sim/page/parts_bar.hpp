#pragma once
// The parts of a whole as one bar in a cell of a table.

#include <string>
#include <vector>

namespace ddlsim {

/// <td> with a bar of at most seven parts, which are named with their shares under the pointer. Parts below 0 take away:
/// they are told in words, and the bar is as long as the others.
std::string parts_bar_cell(const std::vector<std::string>& names, const std::vector<double>& parts);

/// What the colours of the bars stand for, in their order.
std::string parts_legend(const std::vector<std::string>& names);

} // namespace ddlsim
