#pragma once
// A chart of named rows on one axis. A row shows the expected interval as a grey bar and the fitted one as a line with
// a mark, or a share as a bar.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One row of the chart.
struct SpanRow {
  std::string name;
  double value = 0;
  double low = 0; ///< ends of the 90 % interval
  double high = 0;
  double expected_low = 0; ///< start of the grey bar behind the line
  double expected_high = 0;
  std::string figure;  ///< text to the right of the row
  std::size_t row = 0; ///< number of the table row with its values, "p<row>"
  std::string title;   ///< text under the pointer when no script runs
};

struct SpanChart {
  std::string caption; ///< says how to read the chart
  double from = 0;     ///< start of the axis; values beyond an end are drawn at that end
  double to = 1;
  std::vector<std::pair<double, std::string>> ticks;
  double bound = 0; ///< position of a vertical line if has_bound
  bool has_bound = false;
  std::vector<SpanRow> rows;
};

/// Returns the <figure>; "" without rows.
std::string span_chart(const SpanChart& chart);

} // namespace ddlsim
