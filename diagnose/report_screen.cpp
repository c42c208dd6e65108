#include "diagnose/report.hpp"
#include "diagnose/words.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

PositionInInterval held_of(const ComparedPoint& one) {
  return position_in(one.expected, one.observed.time_s);
}

double ratio_of(const ComparedPoint& one) {
  return one.observed.time_s / one.expected.s;
}

/// The point farthest above its interval; if none is above, the one with the largest ratio to the upper end.
const ComparedPoint& worst_of(const Diagnosis& diagnosis) {
  const auto beyond = [](const ComparedPoint& one) { return one.observed.time_s / one.expected.s_high; };
  return *std::max_element(diagnosis.points.begin(), diagnosis.points.end(),
                           [&](const ComparedPoint& a, const ComparedPoint& b) { return beyond(a) < beyond(b); });
}

// Writes the numbers of one point.

std::string GBps_text(double Bps) {
  return fmt::format("{:.3g}", Bps / 1e9);
}

/// Whether the point is shown as a time. Latency dominates a small collective, for which a rate says little.
bool is_given_as_time(const ComparedPoint& one) {
  constexpr double least_Bps = 1e9;
  return !is_collective(one.observed) || bus_Bps(one.observed, one.expected.s) < least_Bps;
}

/// The healthy range, as in "557 to 612 ms", both in the unit of the upper one; for a large collective as in "38 to 44
/// GB/s".
std::string healthy_text(const ComparedPoint& one) {
  if (!is_given_as_time(one))
    return fmt::format("{} to {} GB/s", GBps_text(bus_Bps(one.observed, one.expected.s_high)),
                       GBps_text(bus_Bps(one.observed, one.expected.s_low)));
  const auto bounds = seconds_interval(one.expected.s_high, one.expected.s_low, one.expected.s_high);
  const auto unit = bounds.value.substr(bounds.value.find(' '));
  const auto dots = bounds.bounds.find("..");
  return bounds.bounds.substr(1, dots - 1) + " to " + bounds.bounds.substr(dots + 2, bounds.bounds.size() - dots - 3) +
         unit;
}

std::string yours_text(const ComparedPoint& one) {
  if (!is_given_as_time(one)) return GBps_text(bus_Bps(one.observed, one.observed.time_s)) + " GB/s";
  return short_seconds_text(one.observed.time_s);
}

// Writes the verdict.

std::string worst_text(const ComparedPoint& one) {
  const auto& [point, expected] = one;
  if (!is_collective(point))
    return fmt::format("{} GPU{} take{} {} an iteration; healthy is {} (90 %)", point.gpus, point.gpus == 1 ? "" : "s",
                       point.gpus == 1 ? "s" : "", yours_text(one), healthy_text(one));
  const auto* verb = is_given_as_time(one) ? "takes" : "reaches";
  return fmt::format("an {} on {} GPUs {} {}; healthy is {} (90 %)", point_text(point), point.gpus, verb,
                     yours_text(one), healthy_text(one));
}

std::string once_in_text(double chance) {
  constexpr double least = 0.001;
  if (chance <= least) return "at most once in 1,000";
  return fmt::format("once in {:.0f}", 1 / chance);
}

std::string verdict_text(const Diagnosis& diagnosis) {
  const auto count = [&](PositionInInterval held) {
    return std::count_if(diagnosis.points.begin(), diagnosis.points.end(),
                         [&](const ComparedPoint& one) { return held_of(one) == held; });
  };
  const auto all = diagnosis.points.size();
  if (diagnosis.verdict == Verdict::better)
    return fmt::format("Normal, better than expected: {} of {} times are below the 90 % interval, {} above.",
                       count(PositionInInterval::faster), all, count(PositionInInterval::slower));
  if (diagnosis.verdict == Verdict::normal)
    return fmt::format(
        "Normal: {} of {} times are slower than the 90 % interval. {} of healthy clusters look as slow as "
        "this, or worse.",
        count(PositionInInterval::slower), all, chance_text(diagnosis.chance_if_healthy));
  return fmt::format("Not normal: {}. A healthy cluster looks this bad {}.", worst_text(worst_of(diagnosis)),
                     once_in_text(diagnosis.chance_if_healthy));
}

// Draws the chart of time over expected time, on a logarithmic axis that all points share.

constexpr int strip_columns = 22;

struct Axis {
  double low = 0.5;
  double high = 2;

  int column(double ratio) const {
    const double share = std::log(ratio / low) / std::log(high / low);
    return std::clamp(static_cast<int>(std::lround(share * (strip_columns - 1))), 0, strip_columns - 1);
  }
};

Axis axis_of(const std::vector<const ComparedPoint*>& points) {
  Axis axis;
  for (const auto* one : points)
    for (const double ratio :
         {ratio_of(*one), one->expected.s_low / one->expected.s, one->expected.s_high / one->expected.s}) {
      while (ratio < axis.low) axis.low /= 2;
      while (ratio > axis.high) axis.high *= 2;
    }
  return axis;
}

std::string strip_of(const ComparedPoint& one, const Axis& axis) {
  std::string strip(strip_columns, ' ');
  const int low = axis.column(one.expected.s_low / one.expected.s);
  const int high = axis.column(one.expected.s_high / one.expected.s);
  for (int column = low; column <= high; ++column) strip[static_cast<std::size_t>(column)] = '=';
  strip[static_cast<std::size_t>(axis.column(1))] = 'o';
  strip[static_cast<std::size_t>(axis.column(ratio_of(one)))] = 'X';
  return strip;
}

/// The axis as text: "0.5x   1x   4x" has its ends and the expected time, each at its column.
std::string axis_text(const Axis& axis) {
  std::string text(strip_columns + 2, ' ');
  for (const double ratio : {axis.low, axis.high, 1.0}) {
    const auto label = fmt::format("{:g}x", ratio);
    const auto last = text.size() - label.size();
    text.replace(std::min(last, static_cast<std::size_t>(axis.column(ratio)) + 1), label.size(), label);
  }
  return text;
}

/// The points of the chart: the first, the last, the worst, and some between them.
std::vector<const ComparedPoint*> points_of_chart(const Diagnosis& diagnosis, std::size_t most) {
  const auto count = diagnosis.points.size();
  std::vector<const ComparedPoint*> shown;
  const auto& worst = worst_of(diagnosis);
  if (count <= most) {
    for (const auto& one : diagnosis.points) shown.push_back(&one);
    return shown;
  }
  for (std::size_t i = 0; i + 1 < most; ++i) shown.push_back(&diagnosis.points[i * (count - 1) / (most - 2)]);
  shown.push_back(&worst);
  std::sort(shown.begin(), shown.end());
  shown.erase(std::unique(shown.begin(), shown.end()), shown.end());
  return shown;
}

std::string chart_of(const Diagnosis& diagnosis, std::size_t most) {
  const auto shown = points_of_chart(diagnosis, most);
  const auto axis = axis_of(shown);
  const bool collectives = is_collective(shown.front()->observed);
  std::vector<std::vector<std::string>> rows;
  for (const auto* one : shown) {
    const auto what = is_collective(one->observed) ? binary_size(one->observed.size_bytes) : std::string();
    rows.push_back({fmt::format("{}", one->observed.gpus), what, healthy_text(*one), yours_text(*one),
                    "|" + strip_of(*one, axis) + "|",
                    held_of(*one) == PositionInInterval::slower ? deviation_text(*one) : ""});
  }
  std::vector<Column> columns{{"GPUs"},         {"size"}, {"healthy (90 %)"}, {"yours"}, {axis_text(axis), Align::left},
                              {"", Align::left}};
  if (!collectives) {
    columns.erase(columns.begin() + 1);
    for (auto& row : rows) row.erase(row.begin() + 1);
  }
  return to_table(columns, rows);
}

// Writes the causes.

constexpr double least_chance = 0.05; ///< probability below which causes are counted together
constexpr std::size_t most_causes = 2;

std::string percent_line(int percent, const std::string& text) {
  return fmt::format("{:4} %  ", percent) + to_lines(text, screen_columns - 8);
}

std::string causes_text(const Diagnosis& diagnosis) {
  const auto percents = percents_of(diagnosis.causes);
  std::string text = "What explains it:\n";
  int others = 0;
  int none = 0;
  std::size_t shown = 0;
  for (std::size_t i = 0; i < percents.size(); ++i) {
    const auto& cause = diagnosis.causes[i];
    if (cause.row.fault == Fault::none_of_these) {
      none = percents[i];
      continue;
    }
    const bool is_shown = shown == 0 || (cause.chance >= least_chance && shown < most_causes);
    if (!is_shown) others += percents[i];
    if (!is_shown) continue;
    text += percent_line(percents[i], cause_text(cause));
    ++shown;
  }
  if (others > 0) text += percent_line(others, "other causes (--details)");
  return text + percent_line(none, "none of these");
}

std::string what_to_measure(const DiscriminatingPoint& measurement) {
  const auto& point = measurement.point;
  const auto on = fmt::format("on {} GPU{}", point.gpus, point.gpus == 1 ? "" : "s");
  const auto what = is_collective(point) ? fmt::format("an {} {} (nccl-tests)", point_text(point), on)
                                         : fmt::format("a few iterations {}", on);
  return fmt::format("{}. About {}: {}; {}: {}.", what, short_seconds_text(measurement.first_s), measurement.first,
                     short_seconds_text(measurement.second_s), measurement.second);
}

/// The measurement that distinguishes the causes; without one, the first thing to check for the first cause.
std::string run_next_text(const Diagnosis& diagnosis) {
  if (diagnosis.discriminating) return "Run next: " + what_to_measure(*diagnosis.discriminating);
  const std::string look_at = diagnosis.causes.front().row.look_at;
  return fmt::format("Run next: {}.", look_at.substr(0, look_at.find(';')));
}

/// The headline, shortened to the parts that fit on a line.
std::string headline_of(const Diagnosis& diagnosis) {
  auto line = diagnosis.headline;
  while (line.size() > screen_columns && line.rfind(", ") != std::string::npos) line.erase(line.rfind(", "));
  return cut_in_the_middle(line, screen_columns);
}

std::string better_text(const Diagnosis& diagnosis) {
  if (!diagnosis.gain) return "";
  const auto& gain = *diagnosis.gain;
  const auto times = gain.row.severity == Severity::none ? "" : fmt::format(" ({:.2g} times as fast)", gain.severity);
  return fmt::format("The times fit {}{}. If that is what you have, say so in the scenario or the cluster.",
                     gain.row.what, times);
}

/// An empty text has no line.
std::string wrapped(const std::string& text) {
  return text.empty() ? "" : to_lines(text, screen_columns);
}

} // namespace

DiagnosisScreen screen_sentences(const Diagnosis& diagnosis) {
  const bool not_normal = diagnosis.verdict == Verdict::not_normal;
  return {verdict_text(diagnosis), better_text(diagnosis), not_normal ? run_next_text(diagnosis) : ""};
}

std::string to_screen_text(const Diagnosis& diagnosis) {
  constexpr std::ptrdiff_t most_lines = 20;
  constexpr std::ptrdiff_t fewest_rows = 3;
  constexpr std::ptrdiff_t most_rows = 8;
  const bool not_normal = diagnosis.verdict == Verdict::not_normal;
  const auto head = headline_of(diagnosis) + "\n\n" + to_lines(verdict_text(diagnosis), screen_columns) +
                    wrapped(better_text(diagnosis)) + "\n";
  const auto tail = "\n" + (not_normal ? causes_text(diagnosis) + wrapped(run_next_text(diagnosis)) : "") +
                    to_lines(fmt::format("More: --details (every point and cause), --json.{}",
                                         not_normal ? " Exit code 3: not normal." : ""),
                             screen_columns);
  const auto lines = std::count(head.begin(), head.end(), '\n') + std::count(tail.begin(), tail.end(), '\n') + 1;
  const auto rows = std::clamp(most_lines - lines, fewest_rows, most_rows);
  return head + chart_of(diagnosis, static_cast<std::size_t>(rows)) + tail;
}

} // namespace ddlsim
