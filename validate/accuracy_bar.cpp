#include "validate/accuracy_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double wanted_coverage = 0.9;

double in_percent(double ratio) {
  return std::round(10000 * ratio) / 100;
}

SplitBar bar_of(const SplitScore& score) {
  SplitBar bar;
  bar.points = score.overall.points - score.overall.refused;
  bar.figures["mean_error"] = in_percent(score.overall.mean_error);
  if (score.overall.points_with_interval > 0) {
    bar.figures["uncovered"] = in_percent(std::max(0.0, wanted_coverage - score.overall.coverage));
    bar.figures["interval_score"] = in_percent(score.overall.interval_score);
  }
  return bar;
}

std::string words_of(const std::string& figure) {
  static const std::map<std::string, std::string> words{{"mean_error", "mean error"},
                                                        {"uncovered", "coverage short of 90 %"},
                                                        {"interval_score", "interval score x 100"}};
  const auto found = words.find(figure);
  return found == words.end() ? figure : found->second;
}

double floor_of(const SplitBar& bar, const std::string& figure) {
  const auto found = bar.noise_floor.find(figure);
  return found == bar.noise_floor.end() ? bar_tolerance : found->second;
}

void compare_split(const std::string& split, const SplitBar& bar, const SplitBar& reached,
                   std::vector<std::string>& rose) {
  if (reached.points < bar.points)
    rose.push_back(fmt::format("{}: points answered fell from {} to {}", split, bar.points, reached.points));
  for (const auto& [name, figure] : bar.figures) {
    const auto now = reached.figures.find(name);
    const double floor = floor_of(bar, name);
    if (now == reached.figures.end()) {
      rose.push_back(fmt::format("{}: {} is no longer scored; it was {:.2f} %", split, words_of(name), figure));
    } else if (now->second > figure + floor) {
      rose.push_back(fmt::format("{}: {} rose from {:.2f} to {:.2f} %, by more than the noise floor of {:.2f}", split,
                                 words_of(name), figure, now->second, floor));
    }
  }
}

} // namespace

AccuracyBar accuracy_of(const ValidationResult& result, const std::string& method) {
  AccuracyBar bar{method, {}, {}};
  for (const auto& score : result.scores)
    if (score.method == method && score.overall.points > 0) bar.splits[score.split] = bar_of(score);
  return bar;
}

std::vector<std::string> figures_that_rose(const AccuracyBar& bar, const AccuracyBar& reached,
                                           const std::vector<std::string>& splits) {
  std::vector<std::string> rose;
  if (bar.method != reached.method)
    return {fmt::format("the bar is of method {}, the figures are of {}", bar.method, reached.method)};
  for (const auto& split : split_names()) { // in the order people know them
    const auto old = bar.splits.find(split);
    if (old == bar.splits.end() || (!splits.empty() && std::count(splits.begin(), splits.end(), split) == 0)) continue;
    const auto now = reached.splits.find(split);
    if (now == reached.splits.end()) {
      rose.push_back(fmt::format("{}: {} answers nothing any more", split, bar.method));
    } else {
      compare_split(split, old->second, now->second, rose);
    }
  }
  return rose;
}

AccuracyBar with_figures_of(AccuracyBar bar, const AccuracyBar& reached) {
  for (const auto& [split, now] : reached.splits) {
    auto& own = bar.splits[split];
    own.points = now.points;
    own.figures = now.figures;
  }
  return bar;
}

} // namespace ddlsim
