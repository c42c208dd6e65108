#pragma once
// Curves with their 90 % intervals over a number of GPUs.

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One point of a curve.
struct LinePoint {
  double x = 1; ///< above 0: the axis is in powers of two
  double y = 0;
  double low = 0; ///< 90 % interval
  double high = 0;
  std::size_t row = 0; ///< of the table row that has its values, "p<row>"
  std::string title;   ///< what a pointer on it reads without script
  double measured = 0; ///< drawn as a ring beside it; 0: nothing was measured there
};

struct ChartCurve {
  std::string name;                         ///< in the legend
  std::string key;                          ///< which of the page's controls show it (page_controls); "": always
  std::vector<std::vector<LinePoint>> runs; ///< a line each: it is broken where a point in between cannot be
};

enum class CurveScale {
  logarithmic, ///< figures above 0
  share        ///< from 0 up, in per cent
};

struct LineChart {
  std::string caption; ///< says how to read it
  std::string x_title;
  std::string y_title;
  CurveScale scale = CurveScale::logarithmic;
  double bound = 0; ///< a line across at this value; 0: none
  std::string bound_text;
  std::vector<ChartCurve> curves;
};

/// <figure> with a line and a shaded band for each curve. Curves differ by dash pattern and the shape of their marks,
/// not by colour alone. "" where no curve has a point.
std::string line_chart(const LineChart& chart);

/// What the curves' styles stand for: one legend for all charts of the same curves.
std::string line_legend(const std::vector<ChartCurve>& curves);

} // namespace ddlsim
