#include "sim/base/escape.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

/// Escapes vertical bars, which would end a cell.
std::string in_cell(std::string text) {
  for (std::size_t at = text.find('|'); at != std::string::npos; at = text.find('|', at + 2)) text.insert(at, "\\");
  return text;
}

std::string markdown_row(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += " " + in_cell(cell) + " |";
  return row + "\n";
}

std::string with_bounds(const IntervalText& figure) {
  return figure.value + " " + figure.bounds;
}

/// The columns that not every table has.
struct ShownColumns {
  bool measured = false;
  bool tokens = false;
  bool memory = false;

  std::size_t count() const { return 7 + (measured ? 1 : 0) + (tokens ? 3 : 0) + (memory ? 1 : 0); }
};

/// Tokens a second with its interval, and MFU in both conventions.
std::vector<std::string> token_cells(const PredictedPoint& point) {
  const double tokens = point.tokens_per_s / point.samples_per_s;
  const auto share = [&](double of_peak) { return of_peak > 0 ? percent_text(of_peak) : "-"; };
  return {with_bounds(
              rate_interval(point.tokens_per_s, tokens * point.samples_per_s_low, tokens * point.samples_per_s_high)),
          share(point.flop_utilisation), share(point.flop_utilisation_causal)};
}

std::vector<std::string> point_cells(const PredictedPoint& point, const ShownColumns& shown) {
  const auto nodes =
      point.server_nodes > 0 ? fmt::format("{}+{}", point.nodes, point.server_nodes) : fmt::format("{}", point.nodes);
  std::vector<std::string> cells{fmt::format("{}", point.gpus), nodes};
  if (!point.error.empty()) {
    cells.push_back("cannot be: " + point.error);
    cells.resize(shown.count());
    return cells;
  }
  cells.push_back(with_bounds(seconds_interval(point.iteration_s, point.iteration_s_low, point.iteration_s_high)));
  if (shown.measured) cells.push_back(measured_here_text(point));
  cells.push_back(with_bounds(rate_interval(point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high)));
  if (shown.tokens)
    for (auto& cell : token_cells(point)) cells.push_back(std::move(cell));
  cells.push_back(with_bounds(percent_interval(point.efficiency, point.efficiency_low, point.efficiency_high)));
  if (shown.memory) cells.push_back(peak_memory_text(point));
  cells.push_back(point.bottleneck);
  cells.push_back(evidence_text(point));
  return cells;
}

std::string markdown_table(const StrategyAnswer& answer) {
  const auto any = [&](auto holds) { return std::any_of(answer.points.begin(), answer.points.end(), holds); };
  const ShownColumns shown{any([](const PredictedPoint& point) { return point.measured.has_value(); }),
                           any([](const PredictedPoint& point) { return point.tokens_per_s > 0; }),
                           any([](const PredictedPoint& point) { return point.memory.has_value(); })};
  std::vector<std::string> headers{"GPUs", "nodes", "iteration (90 %)"};
  if (shown.measured) headers.emplace_back("measured");
  headers.emplace_back("samples/s (90 %)");
  if (shown.tokens) headers.insert(headers.end(), {"tokens/s (90 %)", "MFU", "MFU, causal"});
  headers.emplace_back("efficiency (90 %)");
  if (shown.memory) headers.emplace_back("peak memory a GPU");
  headers.insert(headers.end(), {"dominates", "evidence"});
  std::string text = markdown_row(headers) + "|";
  for (std::size_t i = 0; i < headers.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& point : answer.points) text += markdown_row(point_cells(point, shown));
  return text;
}

} // namespace

std::string to_markdown_text(const Prediction& prediction) {
  std::string text = "## " + prediction.scenario.name + "\n\n";
  for (const auto& sentence : prediction_sentences(prediction)) text += sentence + "\n\n";
  for (const auto& warning : prediction.warnings) text += "Note: " + warning + ".\n\n";
  for (const auto& answer : prediction.strategies) {
    text += "### " + answer_name(answer) + "\n\n" + markdown_table(answer) + "\n";
    for (const auto& sentence : memory_sentences(answer)) text += sentence + "\n\n";
    if (const auto sentence = offload_sentence(answer); !sentence.empty()) text += sentence + "\n\n";
    for (const auto& sentence : layout_sentences(answer)) text += sentence + "\n\n";
    for (std::size_t i = 0; i < answer.why.size(); ++i) text += fmt::format("{}. {}\n", i + 1, answer.why[i]);
    if (!answer.why.empty()) text += "\n";
  }
  text += fmt::format("ddlsim {}, SimGrid {}, {} samples of seed {}.\n", version(), simgrid_version(),
                      prediction.scenario.samples, prediction.scenario.seed);
  return without_tags(text);
}

} // namespace ddlsim
