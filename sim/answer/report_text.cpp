#include "sim/answer/report.hpp"
#include "sim/answer/text_chart.hpp"
#include "sim/answer/text_numbers.hpp"
#include "sim/answer/text_table.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

std::vector<std::string> to_row(const PredictedPoint& point) {
  const std::string hosts =
      point.server_nodes > 0 ? fmt::format("{}+{}", point.nodes, point.server_nodes) : fmt::format("{}", point.nodes);
  if (!point.error.empty()) return {fmt::format("{}", point.gpus), hosts, "-"};
  return {fmt::format("{}", point.gpus),
          hosts,
          seconds_text(point.iteration_s),
          rate_text(point.samples_per_s),
          rate_text(point.samples_per_s_low) + " .. " + rate_text(point.samples_per_s_high),
          percent_text(point.efficiency),
          seconds_text(point.exposed_communication_s),
          point.bottleneck,
          point.evidence};
}

std::string knee_sentence(const StrategyAnswer& answer, double bound) {
  const auto& knee = answer.knee;
  const std::string at_bound = percent_text(bound);
  const std::string loss =
      knee.bottleneck.empty() ? "one GPU loses nothing" : "what costs most there is " + knee.bottleneck;
  if (knee.beyond_growth) {
    return fmt::format(
        "Efficiency stays at or above {} up to {} GPUs, the most this cluster may grow to (90 %: from {}); {}.",
        at_bound, knee.gpus, knee.gpus_low, loss);
  }
  return fmt::format("Efficiency stays at or above {} up to {} GPUs (90 %: {} .. {}); {}.", at_bound, knee.gpus,
                     knee.gpus_low, knee.gpus_high, loss);
}

std::string measure_sentence(const MeasureNext& next) {
  return fmt::format(
      "Measure next: {} ({}). It would narrow the interval at {} GPUs from +-{:.0f} % to about +-{:.0f} %.", next.what,
      next.parameter, next.at_gpus, 100 * next.interval_now, 100 * next.interval_then);
}

/// How old parameters are; "" for strategies that wait for all.
std::string staleness_sentence(const StrategyAnswer& answer) {
  std::string stale;
  for (const auto& point : answer.points) {
    if (point.mean_staleness > 0)
      stale += fmt::format("{}{:.3g} at {} GPUs", stale.empty() ? "" : ", ", point.mean_staleness, point.gpus);
  }
  return stale.empty() ? "" : "Updates by others between a worker's pull and its push: " + stale + ".\n";
}

std::string to_section(const StrategyAnswer& answer, double bound) {
  const std::vector<Column> columns{{"GPUs"},
                                    {"nodes"},
                                    {"iteration"},
                                    {"samples/s"},
                                    {"90 %"},
                                    {"efficiency"},
                                    {"exposed"},
                                    {"dominates", Align::left},
                                    {"evidence", Align::left}};
  std::vector<std::vector<std::string>> rows;
  for (const auto& point : answer.points) rows.push_back(to_row(point));
  std::string text = fmt::format("{} over {}\n{}", to_text(answer.strategy), answer.transport, to_table(columns, rows));
  for (const auto& point : answer.points)
    if (!point.error.empty()) text += fmt::format("{} GPUs cannot be: {}\n", point.gpus, point.error);
  text += staleness_sentence(answer);
  if (answer.measure_next.parameter.empty()) return text;
  return text + knee_sentence(answer, bound) + "\n" + measure_sentence(answer.measure_next) + "\n";
}

char letter_of(std::size_t strategy) {
  return static_cast<char>('a' + strategy % 26);
}

std::string efficiency_chart(const Prediction& prediction) {
  std::vector<std::string> labels;
  for (const int gpus : prediction.scenario.gpus) labels.push_back(fmt::format("{}", gpus));
  std::vector<ChartLine> lines;
  std::string legend = "efficiency:";
  for (std::size_t i = 0; i < prediction.strategies.size(); ++i) {
    const auto& answer = prediction.strategies[i];
    lines.push_back({letter_of(i), {}});
    for (const auto& point : answer.points) lines.back().shares.push_back(point.error.empty() ? point.efficiency : -1);
    legend += fmt::format("{} {} = {}", i > 0 ? "," : "", letter_of(i), to_text(answer.strategy));
  }
  return legend + "\n" + to_chart(labels, lines);
}

} // namespace

std::string to_terminal_text(const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  std::string text = fmt::format(
      "{}: {} at {:g} samples a GPU, {}, {} with {} ({} GPUs available, growth to {})\n{}: {}\n", scenario.name,
      scenario.model, scenario.batch_per_gpu, scenario.precision, scenario.cluster, scenario.preset,
      prediction.available_gpus, prediction.growth_gpus, prediction.one_gpu_evidence, prediction.one_gpu_text);
  for (const auto& answer : prediction.strategies) text += "\n" + to_section(answer, scenario.efficiency_bound);
  return text + "\n" + efficiency_chart(prediction);
}

} // namespace ddlsim
