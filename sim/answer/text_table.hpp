#pragma once
// Aligned columns for a terminal.

#include <string>
#include <vector>

namespace ddlsim {

enum class Align { left, right };

struct Column {
  std::string header;
  Align align = Align::right;
};

/// Rows of as many cells as there are columns (fewer are filled with nothing); two spaces between columns, no trailing
/// blanks.
std::string to_table(const std::vector<Column>& columns, const std::vector<std::vector<std::string>>& rows);

} // namespace ddlsim
