#include "sim/base/error.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "validate/report.hpp"
#include "validate/split.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

std::string screen_error(const Score& score) {
  return fmt::format("{:.1f} %", 100 * score.mean_error);
}

const SplitScore* score_on_screen(const ValidationResult& result, const std::string& split, const std::string& method) {
  const auto found = std::find_if(result.scores.begin(), result.scores.end(), [&](const SplitScore& score) {
    return score.split == split && score.method == method;
  });
  return found == result.scores.end() ? nullptr : &*found;
}

std::vector<const SplitScore*> own_scores(const ValidationResult& result) {
  std::vector<const SplitScore*> scores;
  for (const auto& split : split_names()) {
    const auto* score = score_on_screen(result, split, result.reference);
    if (score != nullptr && score->overall.points > 0) scores.push_back(score);
  }
  return scores;
}

std::string verdict_on(const ValidationResult& result, const std::vector<const SplitScore*>& scores) {
  const auto& first = *scores.front();
  auto text = fmt::format("{} is {} off in the mean of {} points ({})", result.reference, screen_error(first.overall),
                          first.overall.points, split_title(first.split).substr(first.split.size() + 2));
  if (first.overall.points_with_interval > 0)
    text +=
        fmt::format("; {} of the measured times are inside its 90 % intervals", plain_percent(first.overall.coverage));
  return text + ".";
}

std::string scores_table(const ValidationResult& result, const std::vector<const SplitScore*>& scores) {
  std::vector<std::vector<std::string>> rows;
  for (const auto* score : scores) {
    const auto* rival = best_rival(result, *score);
    rows.push_back({score->split, fmt::format("{}", score->overall.points), screen_error(score->overall),
                    score->overall.points_with_interval > 0 ? plain_percent(score->overall.coverage) : "-",
                    rival == nullptr ? "-" : fmt::format("{} {}", rival->method, screen_error(rival->overall))});
  }
  return to_table(
      {{"split", Align::left}, {"points"}, {"mean error"}, {"covered by 90 %"}, {"best baseline", Align::left}}, rows);
}

/// The series of the first split that are farthest off.
std::string farthest_off(const ValidationResult& result, const std::string& split, std::size_t lines) {
  std::string text;
  std::size_t told = 0;
  for (const auto& one : result.explained) {
    if (one.split != split || one.why.points.empty() || told == lines) continue;
    const auto what = fmt::format("- {:.0f} %: {}", 100 * one.mean_error, one.series);
    text += cut_in_the_middle(what, screen_columns) + "\n";
    ++told;
  }
  return text.empty() ? "" : "Farthest off:\n" + text;
}

} // namespace

const SplitScore* best_rival(const ValidationResult& result, const SplitScore& own) {
  const SplitScore* best = nullptr;
  for (const auto& score : result.scores) {
    if (score.split != own.split || score.method == own.method || score.overall.points < own.overall.points) continue;
    if (best == nullptr || score.overall.mean_error < best->overall.mean_error) best = &score;
  }
  return best;
}

std::string validation_verdict(const ValidationResult& result) {
  const auto scores = own_scores(result);
  if (scores.empty()) return fmt::format("{} answered no point of {} series.", result.reference, result.series.size());
  return verdict_on(result, scores);
}

std::string validation_screen_text(const ValidationResult& result) {
  const auto scores = own_scores(result);
  const std::string more = "More: --details (every cluster and method), --html page.html (charts), --json\n";
  if (scores.empty()) return screen_text(validation_verdict(result), 2) + more;
  const auto head = screen_text(verdict_on(result, scores), 3) + "\n" + scores_table(result, scores);
  const auto used = static_cast<std::size_t>(std::count(head.begin(), head.end(), '\n')) + 2;
  constexpr std::size_t most_series = 5;
  const auto room = std::min(most_series, screen_lines - std::min(screen_lines, used));
  return head + farthest_off(result, scores.front()->split, room) + more;
}

} // namespace ddlsim
