#include "validate/accuracy_bar.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

namespace ddlsim {
namespace {

constexpr double wanted_coverage = 0.9;

double two_digits(double value) {
  return std::round(100 * value) / 100;
}

double in_percent(double ratio) {
  return two_digits(100 * ratio);
}

SplitBar bar_of(const SplitScore& score) {
  SplitBar bar;
  bar.points = score.overall.points - score.overall.refused;
  bar.figures["mean_error"] = in_percent(score.overall.mean_error);
  const auto a = score.by_class.find('A');
  if (a != score.by_class.end() && a->second.points > 0) bar.figures["class_a"] = in_percent(a->second.mean_error);
  if (score.overall.points_with_interval > 0) {
    bar.figures["uncovered"] = in_percent(std::max(0.0, wanted_coverage - score.overall.coverage));
    bar.figures["interval_score"] = in_percent(score.overall.interval_score);
  }
  for (const auto& [cluster, one] : score.by_cluster) bar.clusters[cluster] = in_percent(one.mean_error);
  return bar;
}

std::string words_of(const std::string& figure) {
  static const std::map<std::string, std::string> words{{"mean_error", "mean error"},
                                                        {"class_a", "mean error of class A"},
                                                        {"uncovered", "coverage short of 90 %"},
                                                        {"interval_score", "interval score x 100"}};
  const auto found = words.find(figure);
  return found == words.end() ? figure : found->second;
}

using Figures = std::map<std::string, double>;

void compare_figures(const Figures& bar, const Figures& reached, const std::function<std::string(std::string)>& what,
                     std::vector<std::string>& rose) {
  for (const auto& [name, figure] : bar) {
    const auto now = reached.find(name);
    if (now == reached.end()) {
      rose.push_back(fmt::format("{} is no longer scored; it was {:.2f} %", what(name), figure));
    } else if (now->second > figure + bar_tolerance) {
      rose.push_back(fmt::format("{} rose from {:.2f} to {:.2f} %", what(name), figure, now->second));
    }
  }
}

void compare_split(const std::string& split, const SplitBar& bar, const SplitBar& reached,
                   std::vector<std::string>& rose) {
  if (reached.points < bar.points)
    rose.push_back(fmt::format("{}: points answered fell from {} to {}", split, bar.points, reached.points));
  compare_figures(
      bar.figures, reached.figures, [&](const auto& name) { return split + ": " + words_of(name); }, rose);
  compare_figures(
      bar.clusters, reached.clusters, [&](const auto& name) { return split + ": mean error of " + name; }, rose);
}

void tighten(Figures& bar, const Figures& reached) {
  for (const auto& [name, figure] : reached) {
    const auto [at, is_new] = bar.emplace(name, figure);
    if (!is_new) at->second = std::min(at->second, figure);
  }
}

SplitBar tightened_split(SplitBar bar, const SplitBar& reached) {
  bar.points = std::max(bar.points, reached.points);
  tighten(bar.figures, reached.figures);
  tighten(bar.clusters, reached.clusters);
  return bar;
}

} // namespace

AccuracyBar accuracy_of(const ValidationResult& result, const std::string& method) {
  AccuracyBar bar{method, {}};
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

AccuracyBar tightened(const AccuracyBar& bar, const AccuracyBar& reached) {
  AccuracyBar lower = bar;
  for (const auto& [split, now] : reached.splits) {
    const auto [at, is_new] = lower.splits.emplace(split, now);
    if (!is_new) at->second = tightened_split(at->second, now);
  }
  return lower;
}

} // namespace ddlsim
