#pragma once
// A validation as text for people and as JSON for programs.

#include "validate/validation.hpp"

#include <string>

namespace ddlsim {

/// Plain text, at most 110 columns. For every split it has a table of mean errors in per cent by cluster and method,
/// the figures over all clusters, the comparison with the reference, the ranking, and the series with large errors. A
/// table shows at most seven methods; more methods make more tables.
std::string validation_text(const ValidationResult& result);

/// JSON, numbers to 9 significant digits:
/// {"format":"ddlsim-validation","version":2,"methods":[...],
///  "points":[{"series","cluster","model","strategy","preset","transport","gpus","nodes","split","left_out","class",
///             "measured_s","methods":{NAME:{"predicted_s","low_s","high_s"}}}],
///  "overall":{SPLIT:{METHOD:SCORE}}, "classes_a_b": the same over classes A and B,
///  "by_class":{SPLIT:{METHOD:{"A":SCORE,...}}}, "by_cluster":{SPLIT:{METHOD:{CLUSTER:SCORE}}}, "differences":[...],
///  "ranking":[...], "series":[...]}
/// SCORE =
/// {"points","series","clusters","sites","mean_error","median_error","worst_error","points_with_interval","coverage",
/// "half_width","interval_score","mean_error_range":[low,high],"coverage_range":[low,high]}; errors are ratios, 0.05
/// for 5 %. low_s, high_s and the interval figures are null where there is no interval.
std::string validation_json(const ValidationResult& result);

// Parts of the reports.

/// A split as a heading: "T1: calibrated on one node; every larger scale predicted"
std::string split_title(const std::string& split);

/// The split's series with large errors and their explanations, some lines each; "" if there are none.
std::string explained_text(const ValidationResult& result, const std::string& split);

/// An explanation as text: "nic_efficiency 0.5 instead of 0.8 (at -1.2 prior widths, not +0.1) leaves 3.1 %"
std::string explanation_text(const ParameterExplanation& explanation);

} // namespace ddlsim
