#include "sim/base/plain_number.hpp"
#include "validate/report.hpp"
#include "validate/split.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

/// The scores of the reference, split by split.
std::vector<const SplitScore*> scores_of_reference(const ValidationResult& result) {
  std::vector<const SplitScore*> found;
  for (const auto& split : split_names())
    for (const auto& score : result.scores)
      if (score.split == split && score.method == result.reference && score.overall.points > 0) found.push_back(&score);
  return found;
}

std::string error_words(const SplitScore& score) {
  return fmt::format("{}, {}: {:.1f} % off in the mean of {} points", score.split, score.method,
                     100 * score.overall.mean_error, score.overall.points);
}

ChartMark error_mark(const SplitScore& score, double row, bool is_own) {
  ChartMark mark{.x = score.overall.mean_error,
                 .y = row,
                 .glyph = is_own ? Glyph::dot : Glyph::ring,
                 .strong = is_own,
                 .readout = error_words(score)};
  mark.x_low = mark.x_high = mark.x;
  mark.y_low = mark.y_high = row;
  if (const auto& range = score.overall.mean_error_range; is_own && range) {
    mark.x_low = range->low;
    mark.x_high = range->high;
    mark.readout += fmt::format(" (90 % of resampled sites: {:.1f} to {:.1f} %)", 100 * range->low, 100 * range->high);
  }
  return mark;
}

Chart errors_chart(const ValidationResult& result, const std::vector<const SplitScore*>& scores) {
  Chart chart;
  chart.name = "by split";
  chart.title = "Mean error by split";
  chart.note = fmt::format("dots: {}; bar: 90 % of resampled sites; rings: the other methods, the best one named",
                           result.reference);
  chart.x = {"mean error of the iteration time", AxisScale::linear, AxisUnit::percent};
  chart.y.scale = AxisScale::names;
  constexpr double widest = 4; // errors far beyond the reference's stand at the edge
  double most = 0.01;
  for (const auto* own : scores) {
    const auto row = static_cast<double>(chart.y.names.size());
    chart.y.names.push_back(own->split);
    const auto* rival = best_rival(result, *own);
    for (const auto& score : result.scores)
      if (score.split == own->split && score.method != own->method && score.overall.points > 0) {
        auto mark = error_mark(score, row, false);
        if (&score == rival) mark.label = score.method;
        chart.marks.push_back(mark);
      }
    chart.marks.push_back(error_mark(*own, row, true));
    most = std::max({most, chart.marks.back().x_high,
                     rival == nullptr ? 0 : std::min(rival->overall.mean_error, widest * own->overall.mean_error)});
  }
  chart.x.low = 0;
  chart.x.high = 1.15 * most;
  return chart;
}

std::string point_words(const ValidationResult& result, const ScoredPoint& point, const Forecast& forecast) {
  auto text = fmt::format("{}, {}: {} predicted, {} measured", point.series, gpus_in_words(point.gpus),
                          plain_time(forecast.predicted_s), plain_time(point.measured_s));
  if (forecast.high_s > forecast.low_s)
    text += fmt::format(" (90 %: {} to {})", plain_time(forecast.low_s), plain_time(forecast.high_s));
  return text + ", by " + result.reference;
}

/// Predicted against measured times of one split, with the line of equal times.
Chart times_chart(const ValidationResult& result, const std::string& split) {
  Chart chart;
  chart.name = "points";
  chart.title = "Predicted against measured times, " + split;
  chart.note = "rings: a noisy measurement";
  chart.x = {"measured, seconds", AxisScale::logarithmic};
  chart.y = {"predicted, seconds", AxisScale::logarithmic};
  std::vector<double> times;
  for (const auto& point : result.points) {
    const auto found = point.forecasts.find(result.reference);
    if (point.split != split || found == point.forecasts.end()) continue;
    const double predicted_s = found->second.predicted_s;
    const bool is_noisy = point.grade == 'C';
    chart.marks.push_back({.x = point.measured_s,
                           .y = predicted_s,
                           .glyph = is_noisy ? Glyph::ring : Glyph::dot,
                           .strong = !is_noisy,
                           .readout = point_words(result, point, found->second)});
    times.insert(times.end(), {point.measured_s, predicted_s});
  }
  span_axis(chart.x, times);
  chart.y.low = chart.x.low;
  chart.y.high = chart.x.high;
  PictureLine equal{.name = "equal times", .colour = 3};
  for (const double time_s : {chart.x.low, chart.x.high}) equal.points.push_back({time_s, time_s, time_s, time_s, ""});
  chart.lines = {equal};
  return chart;
}

PageNote worst_series(const ValidationResult& result, const std::string& split) {
  PageNote note{"worst", "Farthest off, " + split, {}};
  constexpr std::size_t most = 4;
  for (const auto& one : result.explained)
    if (one.split == split && note.paragraphs.size() < most)
      note.paragraphs.push_back(fmt::format("{:.0f} %: {}", 100 * one.mean_error, one.series));
  return note;
}

} // namespace

Picture validation_picture(const ValidationResult& result) {
  Picture picture;
  const auto scores = scores_of_reference(result);
  picture.title = "Predicted against measured";
  picture.facts = fmt::format("{} points of {} series, none of them shown to the method that predicts it",
                              result.points.size(), result.series.size());
  const auto verdict = validation_verdict(result);
  const auto semicolon = verdict.find("); ");
  picture.heading = semicolon == std::string::npos ? verdict : verdict.substr(0, semicolon) + ").";
  if (semicolon != std::string::npos) {
    auto rest = verdict.substr(semicolon + 3);
    rest.front() = static_cast<char>(std::toupper(rest.front()));
    picture.sentences.push_back(rest);
  }
  picture.json = validation_json(result);
  if (scores.empty()) return picture;
  const auto& first = *scores.front();
  picture.figure = fmt::format("{:.1f} %", 100 * first.overall.mean_error);
  if (const auto* rival = best_rival(result, first))
    picture.sentences.push_back(
        fmt::format("The best other method, {}, is {:.1f} % off.", rival->method, 100 * rival->overall.mean_error));
  picture.charts = {errors_chart(result, scores), times_chart(result, first.split)};
  auto worst = worst_series(result, first.split);
  if (!worst.paragraphs.empty()) picture.notes.push_back(std::move(worst));
  PageNote splits{"splits", "What the splits hide", {}};
  for (const auto* score : scores) splits.paragraphs.push_back(split_title(score->split));
  picture.folded = {splits};
  return picture;
}

} // namespace ddlsim
