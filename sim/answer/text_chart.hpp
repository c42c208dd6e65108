#pragma once
// A small curve in text.

#include <string>
#include <vector>

namespace ddlsim {

struct ChartLine {
  char mark = 'a';
  std::vector<double> shares; ///< one a column, 0..1; negative: nothing to draw
};

/// Rows from 100 % down to 0 % in steps of 10 %, a column a label; '*' where lines meet. Each row "100 % |   a   a",
/// then the labels.
std::string to_chart(const std::vector<std::string>& labels, const std::vector<ChartLine>& lines);

} // namespace ddlsim
