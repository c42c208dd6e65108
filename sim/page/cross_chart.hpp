#pragma once
// A chart that shows each option as a mark. An option has two figures, each with a 90 % interval.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One option of the chart. All its figures are above 0.
struct CrossMark {
  double x = 0;
  double x_low = 0; ///< lower bound of the interval of x; 0: no interval
  double x_high = 0;
  double y = 0;
  double y_low = 0;
  double y_high = 0;
  std::size_t group = 0; ///< index into CrossChart::groups, which sets colour and shape
  bool on_front = false; ///< whether the line of the Pareto front joins it
  std::size_t row = 0;   ///< number of the table row with its values, "p<row>"
  std::string title;     ///< text under the pointer when no script runs
};

struct CrossChart {
  std::string caption; ///< says how to read the chart
  std::string x_title;
  std::string y_title;
  double x_unit = 1;  ///< unit of the axis' figures, as a multiple of the unit of x
  double x_limit = 0; ///< position of a vertical line; 0: none
  double y_limit = 0;
  std::string x_limit_text;
  std::string y_limit_text;
  std::vector<std::string> groups;
  std::vector<CrossMark> marks;
};

/// Returns the legend and the <figure>; "" without marks. Both axes are logarithmic. Marks without an interval are
/// hollow.
std::string cross_chart(const CrossChart& chart);

} // namespace ddlsim
