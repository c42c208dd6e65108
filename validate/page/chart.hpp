#pragma once
// Charts of scored points as SVG inside HTML: no script needed to read them.

#include "sim/formats/names.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

/// One scored point of one method.
struct ChartPoint {
  std::size_t id = 0; ///< of the table row that has its values, "p<id>"
  double measured_s = 0;
  double predicted_s = 0;
  int gpus = 0;
  StrategyName family = StrategyName::all_reduce; ///< all_reduce, ps or ps_async: the colour
  bool uncertain = false;                         ///< noise class C: hollow
  std::string title;                              ///< what a pointer on it reads
  std::string group;                              ///< the row of a strip chart
};

/// <figure>s with a caption that says how to read them. Measured across, predicted up, both logarithmic; the diagonal
/// and 10 % to either side.
std::string scatter_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// ln(predicted / measured) in per cent over the number of GPUs.
std::string scale_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// The same in a strip for each group, the largest mean error first, with a bar at the mean.
std::string strip_chart(const std::vector<ChartPoint>& points, const std::string& caption);

} // namespace ddlsim
