#include "validate/accuracy_thresholds.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double wanted_coverage = 0.9;

double in_percent(double ratio) {
  return std::round(10000 * ratio) / 100;
}

SplitThresholds figures_of(const SplitScore& score) {
  SplitThresholds thresholds;
  thresholds.points = score.overall.points - score.overall.refused;
  thresholds.figures["mean_error"] = in_percent(score.overall.mean_error);
  if (score.overall.points_with_interval > 0) {
    thresholds.figures["uncovered"] = in_percent(std::max(0.0, wanted_coverage - score.overall.coverage));
    thresholds.figures["interval_score"] = in_percent(score.overall.interval_score);
  }
  return thresholds;
}

std::string label_of_figure(const std::string& figure) {
  static const std::map<std::string, std::string> words{{"mean_error", "mean error"},
                                                        {"uncovered", "coverage short of 90 %"},
                                                        {"interval_score", "interval score x 100"}};
  const auto found = words.find(figure);
  return found == words.end() ? figure : found->second;
}

double floor_of(const SplitThresholds& thresholds, const std::string& figure) {
  const auto found = thresholds.noise_floor.find(figure);
  return found == thresholds.noise_floor.end() ? rounding_tolerance : found->second;
}

void compare_split(const std::string& split, const SplitThresholds& thresholds, const SplitThresholds& reached,
                   std::vector<std::string>& rose) {
  if (reached.points < thresholds.points)
    rose.push_back(fmt::format("{}: points answered fell from {} to {}", split, thresholds.points, reached.points));
  for (const auto& [name, figure] : thresholds.figures) {
    const auto now = reached.figures.find(name);
    const double floor = floor_of(thresholds, name);
    if (now == reached.figures.end()) {
      rose.push_back(fmt::format("{}: {} is no longer scored; it was {:.2f} %", split, label_of_figure(name), figure));
    } else if (now->second > figure + floor) {
      rose.push_back(fmt::format("{}: {} rose from {:.2f} to {:.2f} %, by more than the noise floor of {:.2f}", split,
                                 label_of_figure(name), figure, now->second, floor));
    }
  }
}

} // namespace

AccuracyThresholds accuracy_of(const ValidationResult& result, const std::string& method) {
  AccuracyThresholds thresholds{method, {}, {}};
  for (const auto& score : result.scores)
    if (score.method == method && score.overall.points > 0) thresholds.splits[score.split] = figures_of(score);
  return thresholds;
}

std::vector<std::string> figures_that_rose(const AccuracyThresholds& thresholds, const AccuracyThresholds& reached,
                                           const std::vector<std::string>& splits) {
  std::vector<std::string> rose;
  if (thresholds.method != reached.method)
    return {fmt::format("the thresholds are of method {}, the figures are of {}", thresholds.method, reached.method)};
  for (const auto& split : split_names()) { // the thresholds are in the usual order of splits
    const auto old = thresholds.splits.find(split);
    if (old == thresholds.splits.end() || (!splits.empty() && std::count(splits.begin(), splits.end(), split) == 0))
      continue;
    const auto now = reached.splits.find(split);
    if (now == reached.splits.end()) {
      rose.push_back(fmt::format("{}: {} answers nothing any more", split, thresholds.method));
    } else {
      compare_split(split, old->second, now->second, rose);
    }
  }
  return rose;
}

AccuracyThresholds with_figures_of(AccuracyThresholds thresholds, const AccuracyThresholds& reached) {
  for (const auto& [split, now] : reached.splits) {
    auto& own = thresholds.splits[split];
    own.points = now.points;
    own.figures = now.figures;
  }
  return thresholds;
}

} // namespace ddlsim
