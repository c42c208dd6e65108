#include "sim/base/escape.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

#include <algorithm>

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

std::vector<std::string> point_cells(const PredictedPoint& point, bool measured) {
  const auto nodes =
      point.server_nodes > 0 ? fmt::format("{}+{}", point.nodes, point.server_nodes) : fmt::format("{}", point.nodes);
  std::vector<std::string> cells{fmt::format("{}", point.gpus), nodes};
  if (!point.error.empty()) {
    cells.push_back("cannot be: " + point.error);
    cells.resize(measured ? 8 : 7);
    return cells;
  }
  cells.push_back(with_bounds(seconds_interval(point.iteration_s, point.iteration_s_low, point.iteration_s_high)));
  if (measured) cells.push_back(measured_here_text(point));
  cells.push_back(with_bounds(rate_interval(point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high)));
  cells.push_back(with_bounds(percent_interval(point.efficiency, point.efficiency_low, point.efficiency_high)));
  cells.push_back(point.bottleneck);
  cells.push_back(evidence_text(point));
  return cells;
}

std::string markdown_table(const StrategyAnswer& answer) {
  const bool measured = std::any_of(answer.points.begin(), answer.points.end(),
                                    [](const PredictedPoint& point) { return point.measured.has_value(); });
  std::vector<std::string> headers{"GPUs",      "nodes",   "iteration (90 %)", "samples/s (90 %)", "efficiency (90 %)",
                                   "dominates", "evidence"};
  if (measured) headers.insert(headers.begin() + 3, "measured");
  std::string text = markdown_row(headers) + "|";
  for (std::size_t i = 0; i < headers.size(); ++i) text += "---|";
  text += "\n";
  for (const auto& point : answer.points) text += markdown_row(point_cells(point, measured));
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
