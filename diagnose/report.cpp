#include "diagnose/report.hpp"

#include "diagnose/words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

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

std::string words_of(Untimed untimed) {
  switch (untimed) {
  case Untimed::iterations:
    return "the time of iterations";
  case Untimed::other_nodes:
    return "a time on another number of nodes";
  case Untimed::several_nodes:
    return "a time on several nodes";
  case Untimed::several_gpus:
    break;
  }
  return "a time on several GPUs of a node";
}

/// The causes that what was timed cannot show, by what is missing.
std::string untested_text(const Diagnosis& diagnosis) {
  std::map<Untimed, std::vector<std::string>> names;
  for (const auto& one : diagnosis.untested) names[one.missing].emplace_back(one.row.name);
  std::string text;
  for (const auto& [missing, causes] : names)
    text += to_lines(fmt::format("These times cannot test {}: that takes {}.", join_names(causes), words_of(missing)));
  return text.empty() ? text : text + "\n";
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

} // namespace

std::string to_details_text(const Diagnosis& diagnosis) {
  auto text = to_screen_text(diagnosis) + "\n" + to_lines(diagnosis.question);
  for (const auto& warning : diagnosis.warnings) text += to_lines("Note: " + warning + ".");
  return text + "\n" + cause_list_text(diagnosis) + untested_text(diagnosis) + table_of(diagnosis);
}

} // namespace ddlsim
