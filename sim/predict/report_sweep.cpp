
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
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

/// What a row is about: "iris-resnet50 /batch_per_gpu=64 /cluster=iris".
struct SweptName {
  std::string scenario;
  std::vector<std::string> paths;
  std::vector<std::string> values;
};

SweptName swept_name(const std::string& cell) {
  SweptName name;
  std::size_t from = 0;
  const auto take = [&](std::size_t to) {
    (name.paths.empty() ? name.scenario : name.values.back()) = cell.substr(from, to - from);
  };
  for (auto at = cell.find(" /"); at != std::string::npos; at = cell.find(" /", at + 1)) {
    const auto end = cell.find_first_of(" =", at + 1);
    if (end == std::string::npos || cell[end] != '=') continue; // inside a value
    take(at);
    name.paths.push_back(cell.substr(at + 1, end - at - 1));
    name.values.emplace_back();
    from = end + 1;
  }
  take(cell.size());
  return name;
}

/// "/input/loader" -> "loader"; the whole path where another field ends so too.
std::string header_of(const std::string& path, const std::vector<std::string>& paths) {
  const auto last = [](const std::string& one) { return one.substr(one.rfind('/') + 1); };
  const auto same = [&](const std::string& other) { return last(other) == last(path); };
  return std::count_if(paths.begin(), paths.end(), same) > 1 ? path : last(path);
}

/// Cuts the widest of the first columns until the table has the width of a screen.
void fit_to_screen(std::vector<Column>& columns, Cells& table, std::size_t texts) {
  constexpr std::size_t least_width = 6;
  constexpr std::size_t between = 2;
  std::vector<std::size_t> widths;
  std::size_t all = 0;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    widths.push_back(columns[c].header.size());
    for (const auto& row : table)
      if (c < row.size()) widths.back() = std::max(widths.back(), row[c].size());
    all += widths.back() + (c > 0 ? between : 0);
  }
  for (; all > screen_columns; --all) {
    auto& widest = *std::max_element(widths.begin(), widths.begin() + static_cast<std::ptrdiff_t>(texts));
    if (widest <= least_width) break;
    --widest;
  }
  for (std::size_t c = 0; c < texts; ++c) {
    columns[c].header = cut_in_the_middle(columns[c].header, widths[c]);
    for (auto& row : table) row[c] = cut_in_the_middle(row[c], widths[c]);
  }
}

/// Whether rows have several scenarios, so that each row names its own.
bool has_several_scenarios(const Cells& parts) {
  const auto differs = [&](const auto& row) {
    return swept_name(row[0]).scenario != swept_name(parts.front()[0]).scenario;
  };
  return std::any_of(parts.begin(), parts.end(), differs);
}

/// Scenario, swept fields, strategy, GPUs, rate and efficiency, in the width of a screen; then what cannot be.
std::string narrow_sweep_table(const Cells& parts) {
  constexpr std::size_t rate_cell = first_interval + 2;
  constexpr std::size_t efficiency_cell = first_interval + 4;
  constexpr std::size_t error_lines = 2;
  const auto first = parts.empty() ? SweptName{} : swept_name(parts.front()[0]);
  const bool names_scenarios = first.paths.empty() || has_several_scenarios(parts);
  std::vector<Column> columns;
  if (names_scenarios) columns.push_back({"scenario", Align::left});
  for (const auto& path : first.paths) columns.push_back({header_of(path, first.paths), Align::left});
  columns.push_back({"strategy", Align::left});
  const auto texts = columns.size();
  columns.insert(columns.end(), {{"GPUs"}, {"samples/s"}, {"(90 %)", Align::left}, {"efficiency"}});
  Cells table;
  std::string below;
  for (const auto& row : parts) {
    const auto name = swept_name(row[0]);
    auto& cells = table.emplace_back();
    if (names_scenarios) cells.push_back(name.scenario);
    cells.insert(cells.end(), name.values.begin(), name.values.end());
    cells.resize(texts - 1);
    cells.push_back(row[1]);
    const bool is_error = row.size() == cells_of_error;
    if (is_error) below += screen_text(fmt::format("{}, {} {}", row[0], row[1], row[2]), error_lines);
    if (!is_error) cells.insert(cells.end(), {row[2], row[rate_cell], row[rate_cell + 1], row[efficiency_cell]});
  }
  fit_to_screen(columns, table, texts);
  return (names_scenarios ? "" : screen_text(first.scenario, 1)) + to_table(columns, table) + below +
         "More: --details (every figure), --html page.html (charts), --json, --csv\n";
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
