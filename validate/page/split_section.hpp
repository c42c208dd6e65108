#pragma once
// One split of a validation as a section of the page, with its charts.

#include "sim/formats/names.hpp"
#include "validate/validation.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ddlsim {

// Charts of scored points as SVG inside HTML, which can be read without a script.

/// One scored point of one method.
struct ChartPoint {
  std::size_t id = 0; ///< number of the table row with its values, "p<id>"
  double measured_s = 0;
  double predicted_s = 0;
  int gpus = 0;
  StrategyName family = StrategyName::all_reduce; ///< family that decides the colour: all_reduce, ps or ps_async
  bool uncertain = false;                         ///< whether the point is of noise class C, and so drawn hollow
  std::string title;                              ///< text under the pointer
  std::string group;                              ///< row of a strip chart
};

/// Each of these returns an HTML <figure> with a caption on how to read it. This one shows the measured time across and
/// the predicted time up, both logarithmic, with the diagonal and lines 10 % to either side.
std::string scatter_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// Plots ln(predicted / measured) in per cent over the number of GPUs.
std::string scale_chart(const std::vector<ChartPoint>& points, const std::string& caption);

/// Plots the same errors in a strip for each group, with a bar at the mean. The group with the largest mean error comes
/// first.
std::string strip_chart(const std::vector<ChartPoint>& points, const std::string& caption);

// The section of a split on the page.

/// Returns heading, scores by cluster, four charts of `method`, the series with large errors, and a table with every
/// point; "" when the split has no points. Points are numbered by their place in result.points.
std::string html_split(const ValidationResult& result, const std::string& split, const std::string& method);

/// The anchor of the section.
std::string html_split_id(const std::string& split);

/// Returns table cells with the mean errors of one row of a score table. The smallest of them is marked. `points` is
/// the largest number of points that any method answered.
std::string html_error_cells(const std::vector<const Score*>& scores);

} // namespace ddlsim
