#pragma once
// Fields that scenarios and plan requests share: private to their tables.

#include "sim/formats/cluster.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/scenario.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace ddlsim {

/// The field "slow_node".
ValueType<SlowNode> slow_node_type();

/// The field "gpus": ascending, without repeats.
ValueType<std::vector<int>> gpu_counts_type();

/// Checks a strategy against the question's "micro_batch", if it states one.
void check_micro_batch(const JsonNode& place, const Strategy& strategy, bool is_stated);

/// Refuses an "optimizer" beside strategies with which no GPU updates parameters.
void check_optimizer(const std::vector<JsonNode>& places, const std::vector<Strategy>& strategies,
                     const std::optional<Optimizer>& optimizer);

/// The field "seed".
ValueType<std::uint64_t> seed_type();

/// Checks rules between the fields of "input": fields that have no meaning without another.
void check_input(const JsonNode& node);

/// Fields "node_placement", "neighbours" and "background_traffic" of a scenario, and the rules between them.
std::vector<Field<Scenario>> rows_of_co_location();
void check_co_location(const JsonNode& root, const CoLocation& co_location);

/// Fields of "input", for an owner that stores typed figures and names separately.
template <class Owner> FieldTable<Owner> input_fields_of(InputPipeline Owner::*typed, InputNames Owner::*named) {
  const auto rate = quantity_type(Dimension::bandwidth);
  const auto cores = whole_type(1, most_cores_of_node);
  return {{optional("dataset", within(named, &InputNames::dataset), text_type(), "of scenarios/inputs.json"),
           optional("storage", within(named, &InputNames::storage), text_type(), "of scenarios/inputs.json"),
           optional("format", within(named, &InputNames::format), text_type(), "of scenarios/inputs.json"),
           optional("loader", within(named, &InputNames::loader), text_type(), "of scenarios/inputs.json"),
           optional("cores_per_node", within(named, &InputNames::cores_per_node), cores, "that decode"),
           optional("readers_per_node", within(named, &InputNames::readers_per_node), cores,
                    "that read at the same time; as many as cores if not given"),
           optional("bytes_per_sample", within(typed, &InputPipeline::bytes_per_sample), quantity_type(Dimension::size),
                    "as stored"),
           optional("loader_samples_per_s", within(typed, &InputPipeline::loader_samples_per_s), positive_type(),
                    "what a node decodes and augments"),
           optional("shared_read_bandwidth", within(typed, &InputPipeline::shared_read_Bps), rate,
                    "what all nodes read together"),
           optional("read_bandwidth", within(typed, &InputPipeline::read_Bps), rate, "what one node reads")},
          [](const JsonNode& node, Owner&) { check_input(node); }};
}

} // namespace ddlsim
