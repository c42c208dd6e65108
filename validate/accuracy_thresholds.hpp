#pragma once
// Regression thresholds: the accuracy that a change of the program must not lose (validate/accuracy.json). The file
// states means over sites, and how much each varies by chance (`validate --placebo`).

#include "validate/validation.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// The figures of a split in per cent, by name: "mean_error" (over sites or clusters); "uncovered" (90 minus the
/// coverage of the 90 % intervals); "interval_score" (times 100; it penalises wide intervals, which "uncovered" does
/// not).
using AccuracyFigures = std::map<std::string, double>;

/// The accuracy of one method in one split.
struct SplitThresholds {
  /// number of answered points; fewer fail the comparison, so that leaving points unanswered is no gain
  int points = 0;
  AccuracyFigures figures;
  /// how far a figure may rise; a figure that is not listed may rise by rounding_tolerance
  AccuracyFigures noise_floor;
};

struct AccuracyThresholds {
  std::string method;
  std::vector<std::string> sites; ///< sites whose series are predicted; empty: all sites
  std::map<std::string, SplitThresholds> splits;
};

/// Largest difference, in points of a per cent, at which two figures count as equal. Both were rounded, and compilers
/// may round differently.
inline constexpr double rounding_tolerance = 0.05;

/// The figures that the method reached. A split without points of that method has no figures.
AccuracyThresholds accuracy_of(const ValidationResult& result, const std::string& method);

/// Returns one sentence for each figure that rose by more than its noise floor, and for each split with fewer answers.
/// Only the splits named in `splits`, which are those that were run, are compared; if `splits` is empty, all.
std::vector<std::string> figures_that_rose(const AccuracyThresholds& thresholds, const AccuracyThresholds& reached,
                                           const std::vector<std::string>& splits);

/// Returns the thresholds with their figures replaced by those that were reached, better or worse. Sites and noise
/// floors stay.
AccuracyThresholds with_figures_of(AccuracyThresholds thresholds, const AccuracyThresholds& reached);

/// Reads the thresholds. Throws UserError that lists every mistake of the file.
AccuracyThresholds read_accuracy_thresholds(const std::filesystem::path& file);
std::string accuracy_thresholds_json(const AccuracyThresholds& thresholds);

} // namespace ddlsim
