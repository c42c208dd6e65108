#pragma once
// Regression thresholds: the accuracy that a change of the program must not lose (validate/accuracy.json). The file
// states means over sites, and by how much each moves without any cause (`validate --placebo`).

#include "validate/validation.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Figures of a split in per cent, by name: "mean_error" (of sites or clusters); "uncovered" (how far the coverage of
/// the 90 % intervals is short of 90); "interval_score" (times 100: wide intervals cover, and pay here).
using AccuracyFigures = std::map<std::string, double>;

/// What one method reached in one split.
struct SplitThresholds {
  int points = 0; ///< answered; fewer fail the comparison, so that leaving points unanswered is no gain
  AccuracyFigures figures;
  AccuracyFigures noise_floor; ///< by how much a figure may rise; rounding_tolerance where the file states none
};

struct AccuracyThresholds {
  std::string method;
  std::vector<std::string> sites; ///< whose series are predicted; empty: all
  std::map<std::string, SplitThresholds> splits;
};

/// Points of a per cent within which two figures are the same: both were rounded, and a compiler may round differently.
inline constexpr double rounding_tolerance = 0.05;

/// Splits without points of that method have no figures.
AccuracyThresholds accuracy_of(const ValidationResult& result, const std::string& method);

/// One sentence for each figure that rose by more than its noise floor and each split with fewer answers. Splits
/// outside `splits` (those that were run) are not looked at; none named: all.
std::vector<std::string> figures_that_rose(const AccuracyThresholds& thresholds, const AccuracyThresholds& reached,
                                           const std::vector<std::string>& splits);

/// The thresholds with the figures that were reached, better or worse; sites and noise floors stay.
AccuracyThresholds with_figures_of(AccuracyThresholds thresholds, const AccuracyThresholds& reached);

/// Throws UserError with every mistake of the file.
AccuracyThresholds read_accuracy_thresholds(const std::filesystem::path& file);
std::string accuracy_thresholds_json(const AccuracyThresholds& thresholds);

} // namespace ddlsim
