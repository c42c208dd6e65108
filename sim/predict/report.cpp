#include "sim/predict/report.hpp"

#include "sim/base/escape.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// A figure where it is known.
std::string known_cell(double figure) {
  return figure > 0 ? fmt::format(",{:.9g}", figure) : ",";
}

/// Tokens, the use of the GPUs' peak, and memory.
std::string use_cells(const PredictedPoint& point) {
  const double tokens = point.tokens_per_s / point.samples_per_s;
  const double peak_bytes = point.memory ? point.memory->parts.total() : 0;
  const double gpu_bytes = point.memory ? point.memory->gpu_bytes : 0;
  return known_cell(point.tokens_per_s) + known_cell(tokens * point.samples_per_s_low) +
         known_cell(tokens * point.samples_per_s_high) + known_cell(point.flop_utilisation) +
         known_cell(point.flop_utilisation_causal) + known_cell(peak_bytes) + known_cell(gpu_bytes) + "," +
         (gpu_bytes > 0 ? std::string(to_text(point.memory->fit)) : "");
}

std::string to_row(const StrategyAnswer& answer, const PredictedPoint& point) {
  std::string row = fmt::format("{},{},{},{},{},{}", csv_cell(to_text(shown_strategy(answer))), answer.preset,
                                answer.transport, point.gpus, point.nodes, point.server_nodes);
  constexpr int empty_columns = 42; // number of columns of figures, of measurements, of seven labels and of use
  if (!point.error.empty()) return row + std::string(empty_columns, ',') + "," + csv_cell(point.error) + "\n";
  for (const double number :
       {point.iteration_s, point.iteration_s_low, point.iteration_s_high, point.samples_per_s, point.samples_per_s_low,
        point.samples_per_s_high, point.efficiency, point.efficiency_low, point.efficiency_high,
        point.efficiency_per_gpu_bought, point.efficiency_per_gpu_bought_low, point.efficiency_per_gpu_bought_high,
        point.samples_per_s_per_node_bought, point.samples_per_s_per_node_bought_low,
        point.samples_per_s_per_node_bought_high})
    row += fmt::format(",{:.9g}", number);
  for (const auto& part : named_parts) row += fmt::format(",{:.9g}", point.parts.*part.seconds);
  row += fmt::format(",{:.9g}", point.mean_staleness);
  row += point.measured ? fmt::format(",{:.9g},{}", point.measured->iteration_s,
                                      position_in(point, *point.measured) == PositionInInterval::inside)
                        : ",,";
  const auto unsplit = point.unsplit_tensor ? csv_cell(point.unsplit_tensor->name) : "";
  const auto best = point.best_servers ? csv_cell(servers_in_words(*point.best_servers)) : "";
  const auto layout =
      point.best_layout && point.best_layout->best ? csv_cell(degrees_in_words(point.best_layout->strategy)) : "";
  row += fmt::format(",{},{},{},{},{},{},{},{}", point.bottleneck, unsplit, best, layout, to_text(point.evidence),
                     point.extrapolated, point.fidelity, point.simgrid_messages);
  return row + use_cells(point) + ",\n";
}

} // namespace

const Strategy& shown_strategy(const StrategyAnswer& answer) {
  return answer.left_open.empty() ? answer.strategy : answer.taken;
}

std::string evidence_text(const PredictedPoint& point) {
  const bool both = point.extrapolated && point.evidence != EvidenceLabel::extrapolated;
  return to_text(point.evidence) + (both ? ", " + to_text(EvidenceLabel::extrapolated) : "");
}

std::string csv_header() {
  std::string parts;
  for (const auto& part : named_parts) parts += part.key + std::string(",");
  return "scenario,strategy,preset,transport,gpus,nodes,server_nodes,iteration_s,iteration_s_low,iteration_s_high,"
         "samples_per_s,samples_per_s_low,samples_per_s_high,efficiency,efficiency_low,efficiency_high,"
         "efficiency_per_gpu_bought,efficiency_per_gpu_bought_low,efficiency_per_gpu_bought_high,samples_per_s_per_"
         "node_bought,"
         "samples_per_s_per_node_bought_low,samples_per_s_per_node_bought_high," +
         parts +
         "mean_staleness,measured_s,measured_inside,bottleneck,"
         "unsplit_tensor,best_servers,best_layout,evidence,extrapolated,fidelity,simgrid_messages,tokens_per_s,tokens_"
         "per_s_low,"
         "tokens_per_s_high,flop_utilisation,flop_utilisation_causal,peak_memory_bytes,gpu_memory_bytes,memory_fit,"
         "error\n";
}

std::string csv_rows(const Prediction& prediction) {
  std::string text;
  for (const auto& answer : prediction.strategies)
    for (const auto& point : answer.points) text += csv_cell(prediction.scenario.name) + "," + to_row(answer, point);
  return text;
}

std::string csv_error_row(const std::string& scenario, const std::string& error) {
  constexpr int empty_columns = 48;
  return csv_cell(scenario) + std::string(empty_columns, ',') + "," + csv_cell(error) + "\n";
}

std::string to_csv_text(const Prediction& prediction) {
  return csv_header() + csv_rows(prediction);
}

} // namespace ddlsim
