#pragma once
// One split of a validation as a section of the page, with its charts.

#include "sim/formats/names.hpp"
#include "validate/validation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

// Charts of scored points as SVG inside HTML: no script needed to read them.

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

// The section.

/// Heading, scores by cluster, four charts of `method`, the series with large errors, and a table with every point.
/// Points are numbered by their place in result.points. "" when the split has no points.
std::string html_split(const ValidationResult& result, const std::string& split, const std::string& method);

/// Anchor of the section.
std::string html_split_id(const std::string& split);

/// Mean errors of one row of a score table, the least of them marked; `points` is how many the fullest answered.
std::string html_error_cells(const std::vector<const Score*>& scores);

} // namespace ddlsim
