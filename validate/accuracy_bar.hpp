#pragma once
// The accuracy that a change of the program must not lose: validate/accuracy.json. It states means over sites and how
// much they move by nothing (`validate --placebo`), so that nobody holds a figure to its last digit.

#include "validate/validation.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Figures of a split in per cent, by name: "mean_error" (of sites or clusters); "uncovered" (how far the coverage of
/// the 90 % intervals is short of 90); "interval_score" (times 100: wide intervals cover, and pay here).
using BarFigures = std::map<std::string, double>;

/// What one method reached in one split.
struct SplitBar {
  int points = 0; ///< answered; fewer than before fail the bar, so that leaving points unanswered is no gain
  BarFigures figures;
  BarFigures noise_floor; ///< what a figure may rise by; bar_tolerance where it states none
};

struct AccuracyBar {
  std::string method;
  std::vector<std::string> sites; ///< whose series are asked; empty: all
  std::map<std::string, SplitBar> splits;
};

/// Points of a per cent within which two figures are the same: both were rounded, and a compiler may round differently.
inline constexpr double bar_tolerance = 0.05;

/// Splits without points of that method have no figures.
AccuracyBar accuracy_of(const ValidationResult& result, const std::string& method);

/// One sentence for each figure that rose by more than its noise floor and each split with fewer answers. Splits outside
/// `splits` (those that were run) are not looked at; none named: all.
std::vector<std::string> figures_that_rose(const AccuracyBar& bar, const AccuracyBar& reached,
                                           const std::vector<std::string>& splits);

/// The bar with the figures that were reached, better or worse; its sites and noise floors stay.
AccuracyBar with_figures_of(AccuracyBar bar, const AccuracyBar& reached);

/// Throws UserError with every mistake of the file.
AccuracyBar read_accuracy_bar(const std::filesystem::path& file);
std::string accuracy_bar_json(const AccuracyBar& bar);

} // namespace ddlsim
