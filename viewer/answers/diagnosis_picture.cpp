#include "diagnose/report.hpp"
#include "diagnose/words.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/predict/measured.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace ddlsim {
namespace {

constexpr double giga = 1e9;

PositionInInterval place_of(const ComparedPoint& one) {
  return position_in(one.expected, one.observed.time_s);
}

/// The three figures of a point as bus bandwidth, GB/s, or as time, seconds.
IterationTime healthy_figures(const ComparedPoint& one, bool as_bandwidth) {
  if (!as_bandwidth) return one.expected;
  const auto rate = [&](double time_s) { return bus_Bps(one.observed, time_s) / giga; };
  return {rate(one.expected.s), rate(one.expected.s_high), rate(one.expected.s_low)};
}

double own_figure(const ComparedPoint& one, bool as_bandwidth) {
  return as_bandwidth ? bus_Bps(one.observed, one.observed.time_s) / giga : one.observed.time_s;
}

std::string figure_words(double value, bool as_bandwidth) {
  return as_bandwidth ? plain_number(value) + " GB/s" : plain_time(value);
}

std::string healthy_words(const IterationTime& healthy, bool as_bandwidth) {
  if (as_bandwidth)
    return fmt::format("{} ({})", figure_words(healthy.s, true), plain_range(healthy.s_low, healthy.s_high));
  return fmt::format("{} ({})", plain_time(healthy.s),
                     words_of_range(plain_time(healthy.s_low), plain_time(healthy.s_high)));
}

/// The collectives with the operation and number of GPUs of the first one, by size.
std::vector<const ComparedPoint*> collectives_of(const Diagnosis& diagnosis) {
  std::vector<const ComparedPoint*> found;
  for (const auto& one : diagnosis.points) {
    if (!is_collective(one.observed)) continue;
    if (!found.empty() &&
        (found.front()->observed.what != one.observed.what || found.front()->observed.gpus != one.observed.gpus))
      continue;
    found.push_back(&one);
  }
  std::stable_sort(found.begin(), found.end(),
                   [](const auto* a, const auto* b) { return a->observed.size_bytes < b->observed.size_bytes; });
  return found;
}

void add_own_mark(const ComparedPoint& one, double x, double y, const std::string& readout, Chart& chart) {
  const bool is_slow = place_of(one) == PositionInInterval::slower;
  chart.marks.push_back({.x = x,
                         .y = y,
                         .glyph = is_slow ? Glyph::triangle : Glyph::dot,
                         .colour = is_slow ? 0 : -1,
                         .readout = readout});
}

Chart size_chart(const std::vector<const ComparedPoint*>& points, bool as_bandwidth) {
  Chart chart;
  chart.name = as_bandwidth ? "bandwidth" : "time";
  chart.title = as_bandwidth ? "Bus bandwidth by size" : "Time by size";
  chart.note = "triangles: slower than the interval";
  chart.x = {"size", AxisScale::logarithmic, AxisUnit::bytes};
  chart.y = {as_bandwidth ? "bus bandwidth, GB/s" : "seconds",
             as_bandwidth ? AxisScale::linear : AxisScale::logarithmic};
  PictureLine healthy{.name = "healthy", .has_band = true};
  PictureLine own{.name = "yours", .colour = 3, .is_verdict = place_of(*points.back()) == PositionInInterval::slower};
  std::vector<double> x;
  std::vector<double> y;
  if (as_bandwidth) y.push_back(0);
  for (const auto* one : points) {
    const auto expected = healthy_figures(*one, as_bandwidth);
    const double measured = own_figure(*one, as_bandwidth);
    const double size = one->observed.size_bytes;
    const auto what = point_text(one->observed);
    healthy.points.push_back({size, expected.s, expected.s_low, expected.s_high,
                              fmt::format("healthy, {}: {}", what, healthy_words(expected, as_bandwidth))});
    own.points.push_back({size, measured, measured, measured, ""});
    add_own_mark(*one, size, measured,
                 fmt::format("yours, {}: {}; healthy {}", what, figure_words(measured, as_bandwidth),
                             healthy_words(expected, as_bandwidth)),
                 chart);
    healthy.value = healthy_words(expected, as_bandwidth);
    own.value = figure_words(measured, as_bandwidth);
    x.push_back(size);
    y.insert(y.end(), {expected.s_low, expected.s_high, measured});
  }
  chart.lines = {healthy, own};
  span_axis(chart.x, x);
  span_axis(chart.y, y);
  chart.band = "shaded: 90 % of healthy clusters";
  return chart;
}

std::string row_name(const Observation& one) {
  return fmt::format("{}, {} GPU{}", point_text(one), with_commas(one.gpus), one.gpus == 1 ? "" : "s");
}

/// Every point: measured over expected time, with the healthy interval as a bar.
Chart ratio_chart(const Diagnosis& diagnosis) {
  constexpr std::size_t most_rows = 24;
  Chart chart;
  chart.name = "points";
  chart.title = "Measured over expected time";
  chart.note = "bar: 90 % of healthy clusters; triangles: slower than that";
  if (diagnosis.points.size() > most_rows)
    chart.note += fmt::format("; the first {} of {} points", most_rows, diagnosis.points.size());
  chart.x = {"times the expected time", AxisScale::logarithmic};
  chart.y.scale = AxisScale::names;
  std::vector<double> x{1};
  for (const auto& one : diagnosis.points) {
    if (chart.y.names.size() == most_rows) break;
    const auto row = static_cast<double>(chart.y.names.size());
    chart.y.names.push_back(row_name(one.observed));
    const double low = one.expected.s_low / one.expected.s;
    const double high = one.expected.s_high / one.expected.s;
    const double ratio = one.observed.time_s / one.expected.s;
    ChartMark bar{.x = 1, .y = row, .x_low = low, .x_high = high, .y_low = row, .y_high = row, .glyph = Glyph::ring};
    chart.marks.push_back(bar);
    add_own_mark(one, ratio, row,
                 fmt::format("{}: {}; healthy {}", row_name(one.observed), plain_time(one.observed.time_s),
                             healthy_words(one.expected, false)),
                 chart);
    x.insert(x.end(), {low, high, ratio});
  }
  span_axis(chart.x, x);
  return chart;
}

void add_causes(const Diagnosis& diagnosis, Picture& picture) {
  PageNote causes{"causes", "What explains it", {}};
  const auto percents = percents_of(diagnosis.causes);
  for (std::size_t i = 0; i < percents.size(); ++i)
    if (percents[i] >= 5)
      causes.paragraphs.push_back(fmt::format("{} %: {}", percents[i], cause_text(diagnosis.causes[i])));
  picture.notes.push_back(std::move(causes));
}

} // namespace

Picture diagnosis_picture(const Diagnosis& diagnosis) {
  const auto screen = screen_sentences(diagnosis);
  Picture picture;
  const auto comma = diagnosis.headline.find(", ");
  picture.title = diagnosis.headline.substr(0, comma);
  picture.facts = comma == std::string::npos ? "" : diagnosis.headline.substr(comma + 2);
  set_verdict(picture, screen.verdict);
  picture.is_bad = diagnosis.verdict == Verdict::not_normal;
  picture.figure = picture.is_bad ? "Not normal" : "Normal";
  if (!screen.better.empty()) picture.sentences.push_back(screen.better);
  const auto collectives = collectives_of(diagnosis);
  if (collectives.size() > 1) picture.charts = {size_chart(collectives, true), size_chart(collectives, false)};
  picture.charts.push_back(ratio_chart(diagnosis));
  if (picture.is_bad) {
    add_causes(diagnosis, picture);
    picture.notes.push_back({"next", "Run next", {after_label(screen.run_next)}});
  }
  picture.folded = {
      {"healthy",
       "What \"healthy\" means here",
       {diagnosis.question + ", with the parameters that records of this and of other clusters leave possible."}},
      {"notes", "Notes", diagnosis.warnings}};
  picture.json = to_json_text(diagnosis);
  return picture;
}

} // namespace ddlsim
