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
  std::size_t id = 0; ///< of the table row with its values, "p<id>"
  double measured_s = 0;
  double predicted_s = 0;
  int gpus = 0;
  StrategyName family = StrategyName::all_reduce; ///< decides the colour: all_reduce, ps or ps_async
  bool uncertain = false;                         ///< noise class C; drawn hollow
  std::string title;                              ///< the text shown on hover
  std::string group;                              ///< the row of a strip chart
};

/// HTML <figure>s with a caption on how to read them. This one shows the measured time across and the predicted time
/// up, both logarithmic, with the diagonal and lines 10 % to either side.
std::string scatter_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// Plots ln(predicted / measured) in per cent over the number of GPUs.
std::string scale_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// Plots the same errors in a strip for each group, the group with the largest mean error first, with a bar at the
/// mean.
std::string strip_chart(const std::vector<ChartPoint>& points, const std::string& caption);

// The section of a split.

/// Heading, scores by cluster, four charts of `method`, the series with large errors, and a table with every point.
/// Points are numbered by their place in result.points. "" when the split has no points.
std::string html_split(const ValidationResult& result, const std::string& split, const std::string& method);

/// The anchor of the section.
std::string html_split_id(const std::string& split);

/// Table cells with the mean errors of one row of a score table, the smallest of them marked. `points` is the largest
/// number of points that any method answered.
std::string html_error_cells(const std::vector<const Score*>& scores);

} // namespace ddlsim
