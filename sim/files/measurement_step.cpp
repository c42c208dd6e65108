#include "sim/files/measurement_reader.hpp"
#include "sim/files/names.hpp"
#include "sim/files/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace ddlsim {

namespace {

constexpr long most_gpus = 10'000'000;

/// Nodes are full, but for the last.
void check_node_counts(const Place& line, const StepRecord& step) {
  const long full = static_cast<long>(step.nodes) * step.gpus_per_node;
  if (step.gpus <= full && step.gpus > full - step.gpus_per_node) return;
  line.mistake_at("gpus", fmt::format("{} found, {} nodes of {} GPUs expected ({}, the last node may be partly used); "
                                      "correct one of the three",
                                      step.gpus, step.nodes, step.gpus_per_node, full));
}

void check_strategy(const Place& line, const StepRecord& step) {
  if (step.strategy.name == "none" && step.synchronised)
    line.mistake_at("synchronised", "true found beside strategy none; give false, or the strategy that ran");
}

double iteration_s_of(const Place& line, const StepRecord& step) {
  static const std::vector<std::string> units{"samples/s", "s", "ms"};
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  if (unit == "samples/s") return step.batch_per_gpu * step.gpus / value;
  return unit.empty() ? value : value * unit_in_si(unit, Dimension::time);
}

} // namespace

StepRecord step_from(const Place& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{
      "model", "precision",     "wire_precision", "batch_per_gpu", "preset", "strategy", "algorithm", "gpus",
      "nodes", "gpus_per_node", "synchronised",   "data",          "mode",   "value",    "unit"};
  static const std::vector<std::string> wire_precisions{"fp32", "fp16", "bf16", "unknown"};
  static const std::vector<std::string> data{"synthetic", "real", "unknown"};
  static const std::vector<std::string> modes{"train", "forward"};
  StepRecord step;
  const auto before = line.mistakes_so_far();
  allow_only_with_head(line, keys);
  step.head = head_from(line, origin);
  step.model = line.text("model");
  refuse_bare_model_name(line, "model", step.model);
  step.precision = line.one_of("precision", precision_names());
  step.wire_precision = line.one_of("wire_precision", wire_precisions);
  step.batch_per_gpu = line.positive("batch_per_gpu");
  step.preset = line.text("preset");
  step.strategy = strategy_from(line.at("strategy"), StrategyUse::record);
  step.algorithm = line.text("algorithm");
  step.gpus = static_cast<int>(line.integer("gpus", 1, most_gpus));
  step.nodes = static_cast<int>(line.integer("nodes", 1, most_gpus));
  step.gpus_per_node = static_cast<int>(line.integer("gpus_per_node", 1, most_gpus));
  step.synchronised = line.boolean("synchronised");
  step.data = line.one_of("data", data);
  step.mode = line.one_of_or("mode", modes, "train");
  step.iteration_s = iteration_s_of(line, step);
  if (line.mistakes_so_far() > before) return step;
  check_node_counts(line, step);
  check_strategy(line, step);
  return step;
}

} // namespace ddlsim
