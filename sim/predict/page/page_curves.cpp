#include "sim/predict/page/page_curves.hpp"

#include "sim/base/table.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

std::string words(const IntervalText& text) {
  return text.value + " " + text.bounds;
}

std::string nodes_text(const PredictedPoint& point) {
  return point.server_nodes > 0 ? fmt::format("{}+{}", point.nodes, point.server_nodes)
                                : fmt::format("{}", point.nodes);
}

std::string algorithm_words(const PredictedPoint& point) {
  return point.protocol.empty() ? point.algorithm : point.algorithm + " with " + point.protocol;
}

PagePoint page_point(const PredictedPoint& point) {
  PagePoint shown;
  shown.gpus = point.gpus;
  shown.error = point.error;
  shown.cells = {fmt::format("{}", point.gpus), nodes_text(point)};
  if (!point.error.empty()) return shown;
  shown.samples_per_s = {point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high};
  shown.efficiency = {point.efficiency, point.efficiency_low, point.efficiency_high};
  for (const auto& text : {seconds_interval(point.iteration_s, point.iteration_s_low, point.iteration_s_high),
                           rate_interval(point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high),
                           percent_interval(point.efficiency, point.efficiency_low, point.efficiency_high)})
    shown.cells.push_back(words(text));
  shown.cells.push_back(measured_here_text(point));
  if (point.measured) shown.measured_ratio = point.iteration_s / point.measured->iteration_s;
  for (const auto& cell : {point.bottleneck, evidence_text(point), algorithm_words(point),
                           point.fidelity + (point.fidelity_note.empty() ? "" : ": " + point.fidelity_note)})
    shown.cells.push_back(cell);
  for (const auto& part : named_parts) shown.parts_s.push_back(point.parts.*part.seconds);
  if (point.alone) shown.alone = words(seconds_interval(point.alone->s, point.alone->s_low, point.alone->s_high));
  return shown;
}

std::string largest_scale_words(const LargestEfficientScale& scale) {
  if (scale.beyond_growth) return fmt::format(">= {} ({}..)", scale.gpus, scale.gpus_low);
  return fmt::format("{} ({}..{})", scale.gpus, scale.gpus_low, scale.gpus_high);
}

std::string next_words(const MeasureNext& next) {
  return next.parameter.empty() ? "" : fmt::format("{} ({})", next.what, next.parameter);
}

std::vector<std::string> comparison_cells(const StrategyAnswer& answer) {
  std::vector<std::string> cells{to_text(shown_strategy(answer)), answer.preset, answer.transport,
                                 answer.library.empty() || answer.library_stated ? answer.library
                                                                                 : answer.library + " (assumed)"};
  const auto* point = largest_possible(answer);
  if (point == nullptr) {
    const auto why = answer.points.empty() ? std::string("no scale") : answer.points.back().error;
    cells.insert(cells.end(), {"-", "cannot be: " + why, "", "", "", ""});
    return cells;
  }
  const auto& p = *point;
  cells.push_back(fmt::format("{}", p.gpus));
  cells.push_back(words(rate_interval(p.samples_per_s, p.samples_per_s_low, p.samples_per_s_high)));
  cells.push_back(words(percent_interval(p.efficiency, p.efficiency_low, p.efficiency_high)));
  cells.push_back(largest_scale_words(answer.largest_scale));
  cells.push_back(answer.largest_scale.bottleneck);
  cells.push_back(next_words(answer.measure_next));
  return cells;
}

PageCurve page_curve(const StrategyAnswer& answer, const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  PageCurve curve;
  curve.name = answer_name(answer);
  curve.facts = {scenario.model,
                 scenario.cluster,
                 prediction.gpu,
                 scenario.batch_per_gpu > 0 ? fmt::format("{:g}", scenario.batch_per_gpu) : batch_text(scenario),
                 to_text(scenario.precision),
                 answer.preset,
                 answer.transport,
                 to_text(shown_strategy(answer))};
  curve.cells = comparison_cells(answer);
  for (const auto& point : answer.points) curve.points.push_back(page_point(point));
  return curve;
}

} // namespace

const std::vector<std::string>& point_headers() {
  static const std::vector<std::string> headers{
      "GPUs",     "nodes",     "iteration (90 %)", "samples/s (90 %)",   "efficiency (90 %)",
      "measured", "dominates", "evidence",         "largest all-reduce", "communication run"};
  return headers;
}

const std::vector<std::string>& part_names() {
  static const auto names = [] {
    std::vector<std::string> all;
    for (const auto& part : named_parts) all.push_back(part.name);
    return all;
  }();
  return names;
}

const std::vector<std::string>& fact_headers() {
  static const std::vector<std::string> headers{"model",     "cluster", "GPU",       "samples a GPU",
                                                "precision", "preset",  "transport", "strategy"};
  return headers;
}

const std::vector<std::string>& comparison_headers() {
  static const std::vector<std::string> headers{"strategy",
                                                "preset",
                                                "transport",
                                                "library",
                                                "GPUs",
                                                "samples/s (90 %)",
                                                "efficiency (90 %)",
                                                "efficient up to, GPUs (90 %)",
                                                "costs most there",
                                                "measure next"};
  return headers;
}

PageScenario page_scenario(const Prediction& prediction) {
  PageScenario shown;
  shown.name = prediction.scenario.name;
  shown.efficiency_bound = prediction.scenario.efficiency_bound;
  for (const auto& answer : prediction.strategies) shown.curves.push_back(page_curve(answer, prediction));
  shown.warnings = prediction.warnings;
  shown.files = prediction.files;
  shown.produced_by = fmt::format("ddlsim {}, SimGrid {}, seed {}, {} samples behind each interval.", version(),
                                  simgrid_version(), prediction.scenario.seed, prediction.scenario.samples);
  shown.text = to_terminal_text(prediction);
  return shown;
}

} // namespace ddlsim
