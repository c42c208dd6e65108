
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace ddlsim {
namespace {

constexpr char between_cells = '\t';

std::string to_line(const std::vector<std::string>& cells) {
  std::string line;
  for (const auto& cell : cells) {
    for (const char c : cell) line += c == between_cells || c == '\n' ? ' ' : c;
    line += between_cells;
  }
  line.pop_back();
  return line + "\n";
}

/// The point at the largest possible scale; null when none is possible.
const PredictedPoint* largest_point(const StrategyAnswer& answer) {
  const auto found =
      std::find_if(answer.points.rbegin(), answer.points.rend(), [](const auto& point) { return point.error.empty(); });
  return found == answer.points.rend() ? nullptr : &*found;
}

std::string largest_scale_cell(const LargestEfficientScale& largest_scale) {
  return (largest_scale.beyond_growth ? ">=" : "") + fmt::format("{}", largest_scale.gpus);
}

/// The strategy, with the servers that a search chose at that point, if there was a search.
std::string strategy_cell(const StrategyAnswer& answer, const PredictedPoint& point) {
  const auto label = label_of(shown_strategy(answer));
  if (point.best_layout) return label + ": " + degrees_in_words(point.best_layout->strategy);
  return point.best_servers ? label + ": " + servers_in_words(*point.best_servers) : label;
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

using Cells = std::vector<std::vector<std::string>>;

// Places of the cells in a line. A line has these cells: scenario, strategy, GPUs, three times a value and its bounds,
// largest efficient scale, dominating part, evidence, why SimGrid does not simulate the communication exactly. A line
// with an error has scenario, strategy and error.
constexpr std::size_t first_interval = 3;
constexpr std::size_t interval_count = 3;
constexpr std::size_t after_intervals = first_interval + 2 * interval_count;
constexpr std::size_t note_cell = after_intervals + 3;
constexpr std::size_t cells_of_error = 3;

/// Joins each value and its bounds into one cell, aligns these cells, and leaves out the last cell.
Cells with_intervals(const Cells& parts) {
  Cells table;
  for (const auto& row : parts) table.push_back({row[0], row[1], row.size() == cells_of_error ? "-" : row[2]});
  for (std::size_t k = 0; k < interval_count; ++k) {
    std::vector<IntervalText> intervals;
    for (const auto& row : parts) {
      const std::size_t at = first_interval + 2 * k;
      intervals.push_back(row.size() == cells_of_error ? IntervalText{} : IntervalText{row[at], row[at + 1]});
    }
    const auto cells = align_intervals(intervals);
    for (std::size_t i = 0; i < parts.size(); ++i) table[i].push_back(cells[i]);
  }
  for (std::size_t i = 0; i < parts.size(); ++i)
    for (std::size_t c = after_intervals; c < parts[i].size() && c < note_cell; ++c) table[i].push_back(parts[i][c]);
  return table;
}

std::string approximations(const Cells& parts) {
  std::map<std::string, int> rows_of;
  for (const auto& row : parts)
    if (row.size() > note_cell && !row[note_cell].empty()) ++rows_of[row[note_cell]];
  std::string text;
  for (const auto& [reason, count] : rows_of)
    text += to_lines(fmt::format("Communication in {} row{} is simplified, or by formula: {}.", count,
                                 count == 1 ? "" : "s", reason));
  return text;
}

/// Scenario, strategy, GPUs, rate and efficiency, in the width of a screen; then what cannot be.
std::string narrow_sweep_table(const Cells& parts) {
  constexpr std::size_t widest_scenario = 24;
  constexpr std::size_t widest_strategy = 16;
  constexpr std::size_t rate_cell = first_interval + 2;
  constexpr std::size_t efficiency_cell = first_interval + 4;
  constexpr std::size_t error_lines = 2;
  Cells table;
  std::string below;
  for (const auto& row : parts) {
    const bool is_error = row.size() == cells_of_error;
    table.push_back({cut_in_the_middle(row[0], widest_scenario), cut_in_the_middle(row[1], widest_strategy)});
    if (is_error) below += screen_text(fmt::format("{}, {} {}", row[0], row[1], row[2]), error_lines);
    if (is_error) continue;
    table.back().insert(table.back().end(), {row[2], row[rate_cell], row[rate_cell + 1], row[efficiency_cell]});
  }
  return to_table({{"scenario", Align::left},
                   {"strategy", Align::left},
                   {"GPUs"},
                   {"samples/s"},
                   {"(90 %)", Align::left},
                   {"efficiency"}},
                  table) +
         below + "More: --details (every figure), --html page.html (charts), --json, --csv\n";
}

} // namespace

std::string sweep_rows(const Prediction& prediction) {
  std::string rows;
  for (const auto& answer : prediction.strategies) {
    const auto* point = largest_point(answer);
    if (point == nullptr) {
      rows += to_line(
          {prediction.scenario.name, label_of(shown_strategy(answer)), "cannot be: " + answer.points.back().error});
      continue;
    }
    const auto& p = *point;
    std::vector<std::string> cells{prediction.scenario.name, strategy_cell(answer, p), fmt::format("{}", p.gpus)};
    for (const auto& [value, bounds] : {seconds_interval(p.iteration_s, p.iteration_s_low, p.iteration_s_high),
                                        rate_interval(p.samples_per_s, p.samples_per_s_low, p.samples_per_s_high),
                                        percent_interval(p.efficiency, p.efficiency_low, p.efficiency_high)}) {
      cells.push_back(value);
      cells.push_back(bounds);
    }
    for (const auto& cell : {largest_scale_cell(answer.largest_scale), p.bottleneck, evidence_text(p), p.fidelity_note})
      cells.push_back(cell);
    rows += to_line(cells);
  }
  return rows;
}

std::string sweep_error_row(const std::string& scenario, const std::string& error) {
  return to_line({scenario, "-", "cannot be: " + error});
}

std::string sweep_table(const std::string& rows, bool details) {
  Cells parts;
  for (const auto& line : split(rows, '\n'))
    if (!line.empty()) parts.push_back(split(line, between_cells));
  if (!details) return narrow_sweep_table(parts);
  std::string below;
  for (const auto& row : parts)
    if (row.size() == cells_of_error) below += to_lines(fmt::format("{}, {} {}", row[0], row[1], row[2]));
  return to_table({{"scenario", Align::left},
                   {"strategy", Align::left},
                   {"GPUs"},
                   {"iteration (90 %)", Align::left},
                   {"samples/s (90 %)", Align::left},
                   {"efficiency (90 %)", Align::left},
                   {"knee"},
                   {"dominates", Align::left},
                   {"evidence", Align::left}},
                  with_intervals(parts)) +
         below + approximations(parts);
}

} // namespace ddlsim
