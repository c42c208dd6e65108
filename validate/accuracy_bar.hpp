#pragma once
// The accuracy that was reached and must not be lost: validate/accuracy.json. It only ever tightens.

#include "validate/validation.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What one method reached in one split. Errors and shares in per cent, rounded to two digits.
struct SplitBar {
  int points = 0; ///< answered; fewer than before fail the bar, so that leaving points unanswered is no gain
  /// By name, those that the points allow: "mean_error" (of clusters); "class_a" (mean error of the points of noise
  /// class A); "uncovered" (how far the coverage of the 90 % intervals is short of 90); "interval_score" (times 100:
  /// wide intervals cover, and pay here).
  std::map<std::string, double> figures;
  std::map<std::string, double> clusters; ///< mean error
};

struct AccuracyBar {
  std::string method;
  std::map<std::string, SplitBar> splits;
};

/// Points of a per cent within which two figures are the same: both were rounded, and a compiler may round differently.
inline constexpr double bar_tolerance = 0.05;

/// Splits without points of that method have no figures.
AccuracyBar accuracy_of(const ValidationResult& result, const std::string& method);

/// One sentence for each figure that rose by more than bar_tolerance, each cluster that is no longer scored and each
/// split with fewer answers. Splits outside `splits` (those that were run) are not looked at; none named: all.
std::vector<std::string> figures_that_rose(const AccuracyBar& bar, const AccuracyBar& reached,
                                           const std::vector<std::string>& splits);

/// The lower of each figure, the larger number of points; what only one of the two has is kept.
AccuracyBar tightened(const AccuracyBar& bar, const AccuracyBar& reached);

/// Throws UserError with every mistake of the file.
AccuracyBar read_accuracy_bar(const std::filesystem::path& file);
std::string accuracy_bar_json(const AccuracyBar& bar);

} // namespace ddlsim
