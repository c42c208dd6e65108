#include "diagnose/report.hpp"

#include "diagnose/words.hpp"
#include "sim/base/json.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/predict.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

const char* name_of(Verdict verdict) {
  if (verdict == Verdict::not_normal) return "not normal";
  return verdict == Verdict::better ? "better than expected" : "normal";
}

std::string cause_list_text(const Diagnosis& diagnosis) {
  const auto percents = percents_of(diagnosis.causes);
  if (diagnosis.verdict != Verdict::not_normal) return "";
  std::string text = "Every cause, the likeliest first:\n";
  for (std::size_t i = 0; i < percents.size(); ++i) {
    const auto& cause = diagnosis.causes[i];
    text += fmt::format("{:4} %  ", percents[i]) +
            to_lines(fmt::format("{}: {}", cause.row.name, cause_text(cause)), report_columns - 8);
    text += "        " + to_lines(fmt::format("{}.", cause.row.look_at), report_columns - 8);
  }
  return text + "\n";
}

std::string table_of(const Diagnosis& diagnosis) {
  std::vector<IntervalText> expected;
  for (const auto& one : diagnosis.points)
    expected.push_back(seconds_interval(one.expected.s, one.expected.s_low, one.expected.s_high));
  const auto cells = align_intervals(expected);
  std::vector<std::vector<std::string>> rows;
  for (std::size_t i = 0; i < diagnosis.points.size(); ++i) {
    const auto& [one, time] = diagnosis.points[i];
    const bool has_bus = is_collective(one);
    rows.push_back({fmt::format("{}", one.gpus), point_text(one), cells[i], seconds_text(one.time_s),
                    deviation_text(diagnosis.points[i]), to_text(position_in(time, one.time_s)),
                    has_bus ? fmt::format("{:.3g}", bus_Bps(one, time.s) / 1e9) : "",
                    has_bus ? fmt::format("{:.3g}", bus_Bps(one, one.time_s) / 1e9) : ""});
  }
  return to_table({{"GPUs"},
                   {"what", Align::left},
                   {"expected (90 %)", Align::left},
                   {"yours"},
                   {"off"},
                   {"", Align::left},
                   {"busbw expected, GB/s"},
                   {"yours"}},
                  rows);
}

Json point_json(const Observation& one) {
  Json json{{"gpus", one.gpus}, {"what", to_text(one.what)}};
  if (is_collective(one)) json["size_bytes"] = nine_digits(one.size_bytes);
  return json;
}

Json to_json(const DiscriminatingPoint& measurement) {
  auto json = point_json(measurement.point);
  json["first"] = measurement.first;
  json["second"] = measurement.second;
  json["first_s"] = nine_digits(measurement.first_s);
  json["second_s"] = nine_digits(measurement.second_s);
  return json;
}

Json to_json(const ComparedPoint& compared) {
  const auto& [one, time] = compared;
  auto json = point_json(one);
  json["time_s"] = nine_digits(one.time_s);
  json["expected_s"] = nine_digits(time.s);
  json["expected_s_low"] = nine_digits(time.s_low);
  json["expected_s_high"] = nine_digits(time.s_high);
  if (is_collective(one)) {
    json["bus_Bps"] = nine_digits(bus_Bps(one, one.time_s));
    json["expected_bus_Bps"] = nine_digits(bus_Bps(one, time.s));
    json["expected_bus_Bps_low"] = nine_digits(bus_Bps(one, time.s_high));
    json["expected_bus_Bps_high"] = nine_digits(bus_Bps(one, time.s_low));
  }
  json["is"] = to_text(position_in(time, one.time_s));
  return json;
}

Json to_json(const Cause& cause) {
  Json json{{"cause", cause.row.name}, {"what", cause.row.what}, {"chance", nine_digits(cause.chance)}};
  if (cause.row.severity != Severity::none) {
    json["times_as_slow"] = nine_digits(cause.severity);
    json["times_as_slow_low"] = nine_digits(cause.severity_low);
    json["times_as_slow_high"] = nine_digits(cause.severity_high);
  }
  json["look_at"] = cause.row.look_at;
  return json;
}

/// The JSON of an advantage; it states how many times as fast, instead of how many times as slow.
Json gain_json(const Cause& gain) {
  Json json{{"fits", gain.row.name}, {"what", gain.row.what}};
  if (gain.row.severity != Severity::none) json["times_as_fast"] = nine_digits(gain.severity);
  return json;
}

} // namespace

std::string to_details_text(const Diagnosis& diagnosis) {
  auto text = to_screen_text(diagnosis) + "\n" + to_lines(diagnosis.question);
  for (const auto& warning : diagnosis.warnings) text += to_lines("Note: " + warning + ".");
  return text + "\n" + cause_list_text(diagnosis) + table_of(diagnosis);
}

std::string to_json_text(const Diagnosis& diagnosis) {
  Json json{{"format", "ddlsim-diagnosis"},
            {"version", 2},
            {"headline", diagnosis.headline},
            {"question", diagnosis.question},
            {"ddlsim", version()},
            {"normal", diagnosis.verdict != Verdict::not_normal},
            {"verdict", name_of(diagnosis.verdict)},
            {"chance_if_healthy", nine_digits(diagnosis.chance_if_healthy)},
            {"points", Json::array()},
            {"causes", Json::array()}};
  for (const auto& one : diagnosis.points) json["points"].push_back(to_json(one));
  for (const auto& cause : diagnosis.causes) json["causes"].push_back(to_json(cause));
  if (diagnosis.gain) json["better_because"] = gain_json(*diagnosis.gain);
  if (diagnosis.discriminating) json["tell_apart"] = to_json(*diagnosis.discriminating);
  if (!diagnosis.warnings.empty()) json["warnings"] = diagnosis.warnings;
  return json_text(json, 1) + "\n";
}

} // namespace ddlsim
