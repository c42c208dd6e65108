#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace ddlsim {
namespace {

/// Nodes are full, but for the last; within one node a run may take fewer GPUs than the node's.
void check_scale(const JsonNode& line, const char* key, int gpus, int nodes, int gpus_per_node) {
  const long full = static_cast<long>(nodes) * gpus_per_node;
  if (gpus <= full && gpus > full - gpus_per_node) return;
  line.mistake_at(key, fmt::format("{} found, {} nodes of {} GPUs expected ({}, the last node may be partly used); "
                                   "correct one of the three",
                                   gpus, nodes, gpus_per_node, full));
}

/// What the source leaves open of the run, by field: who assumed what, and why.
Facts assumed_from(const JsonNode& line) {
  static const std::vector<std::string> fields{"model",  "gpu",      "precision", "wire_precision", "batch_per_gpu",
                                               "preset", "strategy", "transport", "gpus_per_node"};
  Facts assumed;
  if (!line.has("assumed")) return assumed;
  const auto node = line.at("assumed");
  if (!node.is_object()) return assumed;
  node.allow_only(fields);
  for (const auto& [field, ignored] : node.value().items())
    if (std::find(fields.begin(), fields.end(), field) != fields.end()) assumed[field] = node.text(field);
  return assumed;
}

/// Of the rates. An efficiency is a share of what as many GPUs as the base's would do times over.
double speed_up_of(const JsonNode& line, const SpeedUpRecord& record) {
  static const std::vector<std::string> units{"times", "efficiency"};
  constexpr double most_efficiency = 2; // beyond linear growth; a per cent figure is a slip
  const double value = line.positive("value");
  const std::string unit = line.one_of("unit", units);
  if (unit != "efficiency" || record.base_gpus == 0) return value;
  if (value > most_efficiency)
    line.mistake_at("value", fmt::format("{} found; an efficiency is a share of linear growth, 0.9 for 90 %", value));
  return value * record.gpus / record.base_gpus;
}

void read_scales(const JsonNode& line, SpeedUpRecord& record) {
  record.gpus = static_cast<int>(line.integer("gpus", 1, most_ranks));
  record.nodes = static_cast<int>(line.integer("nodes", 1, most_ranks));
  record.gpus_per_node = static_cast<int>(line.integer("gpus_per_node", 1, most_ranks));
  record.base_gpus = static_cast<int>(line.integer("base_gpus", 1, most_ranks));
  record.base_nodes = static_cast<int>(line.integer("base_nodes", 1, most_ranks));
}

void check_scales(const JsonNode& line, const SpeedUpRecord& record) {
  check_scale(line, "gpus", record.gpus, record.nodes, record.gpus_per_node);
  check_scale(line, "base_gpus", record.base_gpus, record.base_nodes, record.gpus_per_node);
  if (record.base_gpus == record.gpus)
    line.mistake_at("base_gpus", fmt::format("{} found, as many as /gpus; a speed-up is of two scales, give the "
                                             "smaller one here",
                                             record.base_gpus));
}

} // namespace

SpeedUpRecord speed_up_from(const JsonNode& line, const LineOrigin& origin) {
  static const std::vector<std::string> keys{
      "model",     "precision",     "wire_precision", "batch_per_gpu", "preset",    "strategy", "gpus",  "nodes",
      "base_gpus", "gpus_per_node", "base_nodes",     "trust",         "base_from", "assumed",  "value", "unit"};
  static const std::vector<std::string> classes{"A", "B", "C"};
  SpeedUpRecord record;
  const auto before = line.mistakes_so_far();
  allow_only_with_head(line, keys);
  record.head = head_from(line, origin);
  record.model = line.text("model");
  refuse_bare_model_name(line, "model", record.model);
  record.precision = one_of<Precision>(line, "precision");
  record.wire_precision = one_of<WirePrecision>(line, "wire_precision");
  record.batch_per_gpu = line.positive("batch_per_gpu");
  record.preset = line.text("preset");
  record.strategy = strategy_from(line.at("strategy"), StrategyUse::record);
  read_scales(line, record);
  record.trust = line.one_of("trust", classes);
  if (line.has("base_from")) record.base_from = line.text("base_from");
  record.assumed = assumed_from(line);
  record.speed_up = speed_up_of(line, record);
  if (line.mistakes_so_far() == before) check_scales(line, record);
  return record;
}

} // namespace ddlsim
