#pragma once
// Named rows on one axis: the expected interval as a grey bar, the fitted one as a line with a mark; or shares as bars.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One row.
struct SpanRow {
  std::string name;
  double value = 0;
  double low = 0; ///< 90 % interval
  double high = 0;
  double expected_low = 0; ///< the grey bar behind it
  double expected_high = 0;
  std::string figure;  ///< right of it
  std::size_t row = 0; ///< of the table row that has its values, "p<row>"
  std::string title;   ///< what a pointer on it reads without script
};

struct SpanChart {
  std::string caption; ///< says how to read it
  double from = 0;     ///< of the axis; what lies beyond is drawn at its end
  double to = 1;
  std::vector<std::pair<double, std::string>> ticks;
  double bound = 0; ///< a line at this value where has_bound
  bool has_bound = false;
  std::vector<SpanRow> rows;
};

/// <figure>. "" without rows.
std::string span_chart(const SpanChart& chart);

} // namespace ddlsim
