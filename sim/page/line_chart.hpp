#pragma once
// Charts of curves, with their 90 % intervals, over the number of GPUs.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One point of a curve.
struct LinePoint {
  double x = 1; ///< above 0, because the axis is in powers of two
  double y = 0;
  double low = 0; ///< ends of the 90 % interval
  double high = 0;
  std::size_t row = 0; ///< number of the table row with its values, "p<row>"
  std::string title;   ///< text under the pointer when no script runs
  double measured = 0; ///< value of the ring beside the mark; 0: not measured
};

struct ChartCurve {
  std::string name; ///< name in the legend
  std::string key;  ///< choice of the page's controls that shows the curve (page_controls); "": it is always shown
  std::vector<std::vector<LinePoint>> runs; ///< the points, as one line each; the curve is broken at impossible points
};

enum class CurveScale {
  logarithmic, ///< powers of two, for figures above 0 only
  share        ///< per cent from 0 up, for shares
};

struct LineChart {
  std::string caption; ///< says how to read the chart
  std::string x_title;
  std::string y_title;
  CurveScale scale = CurveScale::logarithmic;
  double bound = 0; ///< position of a horizontal line; 0: none
  std::string bound_text;
  std::vector<ChartCurve> curves;
};

/// Returns the <figure> with a line and a shaded band for each curve. Curves differ by dash pattern and by the shape of
/// their marks, not only by colour. "" when no curve has a point.
std::string line_chart(const LineChart& chart);

/// Returns one legend of the curves' styles for all charts that show the same curves.
std::string line_legend(const std::vector<ChartCurve>& curves);

} // namespace ddlsim
