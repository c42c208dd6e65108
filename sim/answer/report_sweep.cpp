#include "sim/answer/report_sweep.hpp"

#include "sim/answer/report.hpp"
#include "sim/answer/text_numbers.hpp"
#include "sim/answer/text_table.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr char between_cells = '\t';

std::string to_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) {
    if (!line.empty()) line += between_cells;
    for (const char c : cell) line += c == between_cells || c == '\n' ? ' ' : c;
  }
  return line + "\n";
}

/// The largest scale that can be; null when none can.
const PredictedPoint* largest_point(const StrategyAnswer& answer) {
  const auto found =
      std::find_if(answer.points.rbegin(), answer.points.rend(), [](const auto& point) { return point.error.empty(); });
  return found == answer.points.rend() ? nullptr : &*found;
}

std::string knee_cell(const Knee& knee) {
  return (knee.beyond_growth ? ">=" : "") + fmt::format("{}", knee.gpus);
}

std::vector<std::string> split(const std::string& text, char at) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == at) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

} // namespace

std::string sweep_rows(const Prediction& prediction) {
  std::string rows;
  for (const auto& answer : prediction.strategies) {
    const auto* point = largest_point(answer);
    if (point == nullptr) {
      rows += to_line({prediction.scenario.name, to_text(answer.strategy), "cannot be: " + answer.points.back().error});
      continue;
    }
    rows += to_line({prediction.scenario.name, to_text(answer.strategy), fmt::format("{}", point->gpus),
                     seconds_text(point->iteration_s), rate_text(point->samples_per_s),
                     rate_text(point->samples_per_s_low) + " .. " + rate_text(point->samples_per_s_high),
                     percent_text(point->efficiency), knee_cell(answer.knee), point->bottleneck, point->evidence});
  }
  return rows;
}

std::string sweep_error_row(const std::string& scenario, const std::string& error) {
  return to_line({scenario, "-", "cannot be: " + error});
}

std::string sweep_table(const std::string& rows) {
  const std::vector<Column> columns{{"scenario", Align::left},
                                    {"strategy", Align::left},
                                    {"GPUs"},
                                    {"iteration"},
                                    {"samples/s"},
                                    {"90 %"},
                                    {"efficiency"},
                                    {"knee"},
                                    {"dominates", Align::left},
                                    {"evidence", Align::left}};
  std::vector<std::vector<std::string>> table;
  std::string errors;
  for (const auto& line : split(rows, '\n')) {
    if (line.empty()) continue;
    auto cells = split(line, between_cells);
    if (cells.size() == 3) {
      errors += fmt::format("{}, {} {}\n", cells[0], cells[1], cells[2]);
      cells[2] = "-";
    }
    table.push_back(cells);
  }
  return to_table(columns, table) + errors;
}

std::string to_json_error(const std::string& scenario, const std::string& error) {
  return nlohmann::ordered_json{{"scenario", scenario}, {"error", error}}.dump(1) + "\n";
}

std::string to_json_list(const std::vector<std::string>& predictions) {
  std::string text = "{\n \"format\": \"ddlsim-predictions\",\n \"version\": 1,\n \"predictions\": [\n";
  for (std::size_t i = 0; i < predictions.size(); ++i) {
    text += predictions[i];
    if (text.back() == '\n') text.pop_back();
    text += i + 1 < predictions.size() ? ",\n" : "\n";
  }
  return text + " ]\n}\n";
}

} // namespace ddlsim
