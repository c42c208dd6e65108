#include "diagnose/diagnose.hpp"
#include "sim/base/json.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/predict.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr double least_chance = 0.05; ///< less likely causes are not reported
constexpr double worth_a_look = 0.2;  ///< causes as likely come with what to look at

Held held_of(const Judged& one) {
  return held_by(one.expected, one.observed.time_s);
}

/// "12 %"; of the 999 healthy draws and the one at hand, one in a thousand is the least that they can show.
std::string chance_text(double chance) {
  constexpr double least = 0.001;
  if (chance <= least) return "0.1 % or less";
  return chance < 0.01 ? fmt::format("{:.1f} %", 100 * chance) : fmt::format("{:.0f} %", 100 * chance);
}

std::string point_text(const Observation& one) {
  if (one.what == Observed::iteration) return "iteration";
  return "all-reduce of " + binary_size(one.size_bytes);
}

std::string verdict_text(const Diagnosis& diagnosis) {
  const auto slower = std::count_if(diagnosis.points.begin(), diagnosis.points.end(),
                                    [](const Judged& one) { return held_of(one) == Held::slower; });
  return fmt::format("{}: {} of {} times are slower than the 90 % interval. A healthy cluster looks as ill as this, or "
                     "worse, with a chance of {}.",
                     diagnosis.is_normal ? "Normal" : "Not normal", slower, diagnosis.points.size(),
                     chance_text(diagnosis.chance_if_healthy));
}

std::string cause_text(const Cause& cause) {
  return fmt::format("{}: {} is about {:.2g} times as slow as expected (90 %: {:.2g} .. {:.2g}); chance {}",
                     cause.kind.name, cause.kind.what, cause.severity, cause.severity_low, cause.severity_high,
                     chance_text(cause.chance));
}

std::string causes_text(const Diagnosis& diagnosis) {
  std::string text = "What explains it, the likeliest first:\n";
  for (const auto& cause : diagnosis.causes) {
    if (cause.chance < least_chance) continue;
    text += "  " + to_lines(cause_text(cause));
    if (cause.chance >= worth_a_look)
      text += "    " + to_lines(fmt::format("{}.", cause.kind.look_at), report_columns - 4);
  }
  return text;
}

/// "+43 %", and never "-0 %".
std::string off_text(const Judged& one) {
  return fmt::format("{:+.0f} %", std::round(100 * (one.observed.time_s / one.expected.s - 1)) + 0.0);
}

std::string table_of(const Diagnosis& diagnosis) {
  std::vector<IntervalText> expected;
  for (const auto& one : diagnosis.points)
    expected.push_back(seconds_interval(one.expected.s, one.expected.s_low, one.expected.s_high));
  const auto cells = align_intervals(expected);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < diagnosis.points.size(); ++i) {
    const auto& one = diagnosis.points[i];
    rows.push_back({fmt::format("{}", one.observed.gpus), point_text(one.observed), cells[i],
                    seconds_text(one.observed.time_s), off_text(one), to_text(held_of(one))});
  }
  return to_table(
      {{"GPUs"}, {"what", Align::left}, {"expected (90 %)", Align::left}, {"yours"}, {"off"}, {"", Align::left}}, rows);
}

/// "" where nothing tells them apart.
std::string telling_text(const Diagnosis& diagnosis) {
  if (!diagnosis.tell_apart || diagnosis.causes[1].chance < least_chance) return "";
  const auto& telling = *diagnosis.tell_apart;
  return to_lines(fmt::format(
      "To tell {} from {}, measure the {} on {} {}: about {} with the first, {} with the second.",
      diagnosis.causes[0].kind.name, diagnosis.causes[1].kind.name, point_text(telling.point), telling.point.gpus,
      telling.point.gpus == 1 ? "GPU" : "GPUs", seconds_text(telling.first_s), seconds_text(telling.second_s)));
}

Json to_json(const TellingMeasurement& telling) {
  Json json{{"gpus", telling.point.gpus}};
  json["what"] = telling.point.what == Observed::iteration ? "iteration" : "all_reduce";
  if (telling.point.what == Observed::all_reduce) json["size_bytes"] = nine_digits(telling.point.size_bytes);
  json["first_s"] = nine_digits(telling.first_s);
  json["second_s"] = nine_digits(telling.second_s);
  return json;
}

Json to_json(const Judged& one) {
  Json json{{"gpus", one.observed.gpus}};
  json["what"] = one.observed.what == Observed::iteration ? "iteration" : "all_reduce";
  if (one.observed.what == Observed::all_reduce) json["size_bytes"] = nine_digits(one.observed.size_bytes);
  json["time_s"] = nine_digits(one.observed.time_s);
  json["expected_s"] = nine_digits(one.expected.s);
  json["expected_s_low"] = nine_digits(one.expected.s_low);
  json["expected_s_high"] = nine_digits(one.expected.s_high);
  json["is"] = to_text(held_of(one));
  return json;
}

Json to_json(const Cause& cause) {
  return {{"cause", cause.kind.name},
          {"what", cause.kind.what},
          {"chance", nine_digits(cause.chance)},
          {"times_as_slow", nine_digits(cause.severity)},
          {"times_as_slow_low", nine_digits(cause.severity_low)},
          {"times_as_slow_high", nine_digits(cause.severity_high)},
          {"look_at", cause.kind.look_at}};
}

} // namespace

std::string to_terminal_text(const Diagnosis& diagnosis) {
  std::string text = to_lines(diagnosis.question) + to_lines(verdict_text(diagnosis));
  for (const auto& warning : diagnosis.warnings) text += to_lines("Note: " + warning + ".");
  if (!diagnosis.is_normal) text += causes_text(diagnosis) + telling_text(diagnosis);
  return text + "\n" + table_of(diagnosis);
}

std::string to_json_text(const Diagnosis& diagnosis) {
  Json json{{"format", "ddlsim-diagnosis"},   {"version", 1},
            {"question", diagnosis.question}, {"ddlsim", version()},
            {"normal", diagnosis.is_normal},  {"chance_if_healthy", nine_digits(diagnosis.chance_if_healthy)},
            {"points", Json::array()},        {"causes", Json::array()}};
  for (const auto& one : diagnosis.points) json["points"].push_back(to_json(one));
  for (const auto& cause : diagnosis.causes) json["causes"].push_back(to_json(cause));
  if (diagnosis.tell_apart) json["tell_apart"] = to_json(*diagnosis.tell_apart);
  if (!diagnosis.warnings.empty()) json["warnings"] = diagnosis.warnings;
  return json_text(json, 1) + "\n";
}

} // namespace ddlsim
