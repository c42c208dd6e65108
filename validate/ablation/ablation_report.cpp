#include "sim/base/table.hpp"
#include "validate/ablation/ablation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

namespace ddlsim {
namespace {

constexpr const char* unchanged = "ddlsim";

const SplitScore& score_of(const ValidationResult& result, const std::string& split, const std::string& method) {
  return *std::find_if(result.scores.begin(), result.scores.end(),
                       [&](const SplitScore& score) { return score.split == split && score.method == method; });
}

const PairedDifference& difference_of(const ValidationResult& result, const std::string& split,
                                      const std::string& method) {
  return *std::find_if(result.differences.begin(), result.differences.end(),
                       [&](const PairedDifference& one) { return one.split == split && one.baseline == method; });
}

/// The splits, in the order in which they were scored.
std::vector<std::string> splits_of(const ValidationResult& result) {
  std::vector<std::string> names;
  for (const auto& score : result.scores)
    if (!is_in(names, score.split)) names.push_back(score.split);
  return names;
}

std::vector<std::string> changed_methods(const ValidationResult& result) {
  return {result.methods.begin() + 1, result.methods.end()};
}

std::string error_cell(double ratio) {
  return fmt::format("{:.1f}", 100 * ratio);
}

/// Writes a change with two digits, so that changes below the noise floor are visible as such.
std::string change_text(double ratio) {
  constexpr double nothing = 5e-5; // ratio below which no digit is printed, and so no sign
  return std::abs(ratio) < nothing ? "0.00" : fmt::format("{:+.2f}", 100 * ratio);
}

/// The change of the interval score as a share of its earlier value.
double relative_change(double now, double before) {
  return before > 0 ? now / before - 1 : 0;
}

/// Errors of one site in one split, with and without the change; three empty cells if the site is not in the split.
std::vector<std::string> cells_of_site(const SplitScore& with, const SplitScore& without, const std::string& site) {
  const auto before = with.by_cluster.find(site);
  const auto after = without.by_cluster.find(site);
  if (before == with.by_cluster.end() || after == without.by_cluster.end()) return {"", "", ""};
  const auto& [a, b] = std::pair(before->second.mean_error, after->second.mean_error);
  return {error_cell(a), error_cell(b), change_text(b - a)};
}

std::vector<std::string> sites_of(const ValidationResult& result) {
  std::set<std::string> sites;
  for (const auto& score : result.scores)
    for (const auto& [site, one] : score.by_cluster) sites.insert(site);
  return {sites.begin(), sites.end()};
}

void append(std::vector<std::string>& row, const std::vector<std::string>& cells) {
  row.insert(row.end(), cells.begin(), cells.end());
}

std::string sites_table(const ValidationResult& result, const std::string& method) {
  const auto splits = splits_of(result);
  std::vector<Column> columns{{"mean error, %", Align::left}};
  for (const auto& split : splits)
    for (const auto& column : {split, std::string("without"), std::string("change")}) columns.push_back({column});
  std::vector<std::vector<std::string>> rows;
  for (const auto& site : sites_of(result)) {
    rows.push_back({site});
    for (const auto& split : splits)
      append(rows.back(), cells_of_site(score_of(result, split, unchanged), score_of(result, split, method), site));
  }
  rows.push_back({"mean of sites"});
  for (const auto& split : splits) {
    const auto &with = score_of(result, split, unchanged).overall, &without = score_of(result, split, method).overall;
    append(rows.back(), {error_cell(with.mean_error), error_cell(without.mean_error),
                         change_text(without.mean_error - with.mean_error)});
  }
  return to_table(columns, rows);
}

/// The numbers of sites whose mean error the change lowered and raised by a twentieth of a per cent or more.
std::string sites_moved(const SplitScore& with, const SplitScore& without) {
  constexpr double visible = 0.0005;
  int lower = 0, higher = 0;
  for (const auto& [site, before] : with.by_cluster) {
    const auto after = without.by_cluster.find(site);
    if (after == without.by_cluster.end()) continue;
    const double change = after->second.mean_error - before.mean_error;
    if (change <= -visible) ++lower;
    if (change >= visible) ++higher;
  }
  return fmt::format("{}/{}", lower, higher);
}

std::vector<std::string> cells_of_change(const ValidationResult& result, const std::string& split,
                                         const std::string& method) {
  const auto &with = score_of(result, split, unchanged), &without = score_of(result, split, method);
  const auto& paired = difference_of(result, split, method); // the unchanged simulator minus the changed one
  return {change_text(-paired.difference),
          fmt::format("{}..{}", change_text(-paired.range.high), change_text(-paired.range.low)),
          sites_moved(with, without),
          fmt::format("{:+.1f}", 100 * relative_change(without.overall.interval_score, with.overall.interval_score)),
          fmt::format("{:.0f}", 100 * without.overall.coverage)};
}

std::string changes_table(const ValidationResult& result) {
  std::string text;
  for (const auto& split : splits_of(result)) {
    const auto& with = score_of(result, split, unchanged).overall;
    text += fmt::format("\n{}: points {}, sites {}; mean error {:.2f} %, interval score x 100 {:.1f}, held {:.0f} %\n",
                        split, with.points, with.clusters, 100 * with.mean_error, 100 * with.interval_score,
                        100 * with.coverage);
    std::vector<std::vector<std::string>> rows;
    for (const auto& method : changed_methods(result)) {
      rows.push_back({method});
      append(rows.back(), cells_of_change(result, split, method));
    }
    text +=
        to_table({{"", Align::left}, {"error"}, {"90 %"}, {"sites down/up"}, {"interval score, %"}, {"held, %"}}, rows);
  }
  return text;
}

} // namespace

std::string paired_report_text(const ValidationResult& result) {
  std::string text;
  for (const auto& method : changed_methods(result))
    text += fmt::format("{}: nothing but its records is known of a site\n{}\n", method, sites_table(result, method));
  text += to_lines("What each change did: error of the mean of sites in points of a per cent, with 90 % of resampled "
                   "sites; how many sites' errors went down and up; the interval score in per cent of what it was. A "
                   "change inside the noise floor (validate --placebo) is none.");
  return text + changes_table(result);
}

std::vector<NoiseFloor> noise_floors(const ValidationResult& result) {
  std::vector<NoiseFloor> floors;
  for (const auto& split : splits_of(result)) {
    const auto& with = score_of(result, split, unchanged).overall;
    NoiseFloor floor{split};
    for (const auto& method : changed_methods(result)) {
      const auto& moved = score_of(result, split, method).overall;
      floor.mean_error = std::max(floor.mean_error, std::abs(moved.mean_error - with.mean_error));
      floor.interval_score =
          std::max(floor.interval_score, std::abs(relative_change(moved.interval_score, with.interval_score)));
    }
    floors.push_back(floor);
  }
  return floors;
}

std::string placebo_report_text(const ValidationResult& result) {
  auto text = to_lines("Every prior's median was moved by 2 % up or down, class by class and without meaning. By how "
                       "much figures move so is the noise floor: a smaller change of them is no change.") +
              changes_table(result) + "\n";
  std::vector<std::vector<std::string>> rows;
  for (const auto& floor : noise_floors(result))
    rows.push_back({floor.split, fmt::format("{:.2f}", 100 * floor.mean_error),
                    fmt::format("{:.1f}", 100 * floor.interval_score)});
  return text + to_table({{"noise floor", Align::left}, {"error"}, {"interval score, %"}}, rows);
}

} // namespace ddlsim
