#include "sim/formats/record_fields.hpp"
#include "sim/formats/strategy_fields.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// Checks that all nodes are full, except the last; within one node a run may use fewer GPUs than the node has.
void check_scale(const JsonNode& line, const char* key, int gpus, int nodes, int gpus_per_node) {
  const long full = static_cast<long>(nodes) * gpus_per_node;
  if (gpus <= full && gpus > full - gpus_per_node) return;
  line.mistake_at(key, fmt::format("{} found, {} nodes of {} GPUs expected ({}, the last node may be partly used); "
                                   "correct one of the three",
                                   gpus, nodes, gpus_per_node, full));
}

/// Returns the ratio of the rates. An efficiency is that ratio divided by the ratio of the numbers of GPUs.
double speed_up_of(const JsonNode& node, const RecordLine<SpeedUpRecord>& line) {
  constexpr double most_efficiency = 2; // such a value is far beyond linear growth, so it was meant as a percentage
  if (line.unit != "efficiency") return line.value;
  if (line.value > most_efficiency)
    node.mistake_at("value",
                    fmt::format("{} found; an efficiency is a share of linear growth, 0.9 for 90 %", line.value));
  return line.value * line.record.gpus / line.record.base_gpus;
}

void check_scales(const JsonNode& line, const SpeedUpRecord& record) {
  check_scale(line, "gpus", record.gpus, record.nodes, record.gpus_per_node);
  check_scale(line, "base_gpus", record.base_gpus, record.base_nodes, record.gpus_per_node);
  if (record.base_gpus == record.gpus)
    line.mistake_at("base_gpus", fmt::format("{} found, as many as /gpus; a speed-up is of two scales, give the "
                                             "smaller one here",
                                             record.base_gpus));
}

void derive_speed_up(const JsonNode& node, RecordLine<SpeedUpRecord>& line) {
  refuse_bare_model_name(node, "model", line.record.model);
  line.record.speed_up = speed_up_of(node, line);
  check_scales(node, line.record);
}

std::vector<Field<RecordLine<SpeedUpRecord>>> rows_of_speed_up() {
  using K = SpeedUpRecord;
  const auto count = whole_type(1, most_ranks);
  return {
      required_of<K>("model", &K::model, text_type(), "a variant, of scenarios/models/"),
      required_of<K>("precision", &K::precision, name_of_type<Precision>(), "of arithmetic"),
      required_of<K>("wire_precision", &K::wire_precision, name_of_type<WirePrecision>(), "of gradients on their way"),
      required_of<K>("batch_per_gpu", &K::batch_per_gpu, positive_type(),
                     "of both scales; where the source does not state it, \"assumed\" says whose figure it is"),
      required_of<K>("preset", &K::preset, text_type(), "the stack"),
      required_of<K>("strategy", &K::strategy, object_type(strategy_fields(StrategyUse::record)),
                     "how gradients were brought together"),
      required_of<K>("gpus", &K::gpus, count, "of the larger scale"),
      required_of<K>("nodes", &K::nodes, count, "of the larger scale"),
      required_of<K>("gpus_per_node", &K::gpus_per_node, count, "of both scales"),
      required_of<K>("base_gpus", &K::base_gpus, count, "what it is compared with"),
      required_of<K>("base_nodes", &K::base_nodes, count, "what it is compared with"),
      required_of<K>("trust", &K::trust, word_type({"A", "B", "C"}),
                     "A: table or exact chart; B: primary source, incomplete configuration; C: second-hand"),
      optional_of<K>("base_from", &K::base_from, text_type(), "where the base's figure stands"),
      optional_of<K>("assumed", &K::assumed,
                     text_map_type({"model", "gpu", "precision", "wire_precision", "batch_per_gpu", "preset",
                                    "strategy", "transport", "gpus_per_node"}),
                     "field -> what is assumed that the source does not say, by whom, and why")};
}

} // namespace

const FieldTable<RecordLine<SpeedUpRecord>>& speed_up_fields() {
  static const auto table =
      record_table<SpeedUpRecord>("speed_up", rows_of_speed_up(), {"times", "efficiency"}, derive_speed_up);
  return table;
}

} // namespace ddlsim
