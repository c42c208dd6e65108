#include "sim/iteration/memory_parts.hpp"

#include "sim/compute/layer_times.hpp"
#include "sim/compute/optimizer.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/iteration/pipeline_layout.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace ddlsim {
namespace {

constexpr double fp32_copy_bytes = 4;
constexpr double half_bytes = 2;

/// Bytes of moments for a trained parameter.
double bytes_of_moments(const StepSetup& setup) {
  const auto& model = setup.model;
  const auto usual = usual_optimizer(has_attention(model));
  return model.parameters > 0 ? moment_bytes(setup.optimizer.value_or(usual), model) / model.parameters : 0;
}

StateBytes state_on_host_and_gpu(const StepSetup& setup) {
  const auto name = setup.strategy.name;
  const double moments = bytes_of_moments(setup);
  StateBytes bytes{fp32_copy_bytes, fp32_copy_bytes, is_parameter_server(name) ? 0 : moments};
  const bool keeps_fp32 = name == StrategyName::fsdp || shards_parameters(setup.strategy);
  if (!has_16_bit_values(setup.precision) || keeps_fp32) return bytes;
  const bool in_half = is_sharded(name) || is_model_parallel(name);
  if (!in_half) return {fp32_copy_bytes + half_bytes, bytes.gradients, bytes.optimizer};
  const double gradients = is_sharded(name) ? half_bytes : setup.wire_bytes_per_parameter;
  return {half_bytes, gradients, fp32_copy_bytes + moments};
}

/// Parameters of the root, and of the largest other unit.
struct UnitParameters {
  double root = 0;
  double largest = 0;
  double largest_trained = 0; ///< most parameters of a unit that are trained
};

UnitParameters unit_parameters(const Model& model) {
  std::map<std::string, ModelUnit> of_unit;
  for (const auto& layer : model.layers) {
    auto& unit = of_unit[unit_name_of(layer.name)];
    for (const auto& tensor : layer.tensors) unit.parameters += tensor.size_bytes / fp32_copy_bytes;
    for (const auto& tensor : layer.frozen) unit.frozen_parameters += tensor.size_bytes / fp32_copy_bytes;
  }
  UnitParameters found;
  for (const auto& [name, unit] : of_unit) {
    if (name == "root") {
      found.root = unit.all();
      continue;
    }
    found.largest = std::max(found.largest, unit.all());
    found.largest_trained = std::max(found.largest_trained, unit.parameters);
  }
  return found;
}

int sharers_of(const StepSetup& setup) {
  return ranks_of_shard_group(setup.strategy.sharded, setup.gpus, setup.gpus_per_node);
}

double gathered_of_units(const StepSetup& setup) {
  const auto& sharded = setup.strategy.sharded;
  if (sharers_of(setup) == 1 && sharded.offload != Offload::optimizer_and_parameters) return 0;
  const double bytes = computed_bytes_per_parameter(setup.precision);
  const auto [root, largest, largest_trained] = unit_parameters(setup.model);
  const double all = setup.model.parameters + setup.model.frozen_parameters;
  const double whole = std::min(all, root + sharded.gathers_in_flight * largest);
  const double gathered = sharded.reshard_after_forward ? whole : all;
  return bytes * gathered + (bytes + setup.wire_bytes_per_parameter) * largest_trained;
}

} // namespace

StateBytes state_bytes(const StepSetup& setup) {
  auto bytes = state_on_host_and_gpu(setup);
  const auto& [name, offload] = std::pair(setup.strategy.name, setup.strategy.sharded.offload);
  if (!is_sharded(name) || offload == Offload::none) return bytes;
  bytes.optimizer = 0;
  if (name != StrategyName::zero_1) bytes.gradients = 0;
  if (name == StrategyName::fsdp) bytes.weights = computed_bytes_per_parameter(setup.precision);
  if (offload == Offload::optimizer_and_parameters) bytes.weights = 0;
  return bytes;
}

MemoryParts state_of_model(const StepSetup& setup) {
  const auto bytes = state_bytes(setup);
  const auto name = setup.strategy.name;
  const double parameters = setup.model.parameters;
  const double part = is_sharded(name) ? 1.0 / sharers_of(setup) : 1;
  const bool divides_gradients = is_sharded(name) && name != StrategyName::zero_1;
  MemoryParts parts;
  const double frozen_bytes = computed_bytes_per_parameter(setup.precision) * setup.model.frozen_parameters;
  parts.weights = (bytes.weights * parameters + frozen_bytes) * (name == StrategyName::fsdp ? part : 1);
  parts.gradients = bytes.gradients * parameters * (divides_gradients ? part : 1);
  parts.optimizer = bytes.optimizer * parameters * part;
  return parts;
}

double gathered_of_model(const StepSetup& setup) {
  if (setup.strategy.name == StrategyName::fsdp) return gathered_of_units(setup);
  const bool sums_gradients = family_of(setup.strategy.name) == StrategyFamily::all_reduce && setup.gpus > 1;
  if (!sums_gradients) return 0;
  const double gradients = fp32_copy_bytes * setup.model.parameters;
  if (setup.preset.grouping == Grouping::buckets) return gradients;
  return setup.preset.grouping == Grouping::fusion ? std::min(gradients, setup.preset.bucket_bytes) : 0;
}

double sharers_of_state(const StepSetup& setup) {
  const auto& options = setup.strategy.parallel;
  if (options.data_parallel == DataParallel::all_reduce) return 1;
  const int sharers = std::max(1, layout_of(options, setup.gpus).sharers());
  if (options.data_parallel == DataParallel::zero_1) return sharers;
  const int of_node = std::min(sharers, std::max(1, gpus_of_domain_used(setup) / options.tensor));
  return ranks_of_shard_group(options, sharers, of_node);
}

MemoryParts state_of_stage(const StepSetup& setup, const StageParameters& parameters) {
  const auto& options = setup.strategy.parallel;
  const auto bytes = state_bytes(setup);
  const double sharers = sharers_of_state(setup);
  const auto layout = layout_of(options, setup.gpus);
  const double of_expert = sharers * layout.expert_sharers() / std::max(1, layout.sharers());
  const double of_experts = std::max(1.0, of_expert / options.expert);
  const double part = parameters.dense / sharers + parameters.of_experts / of_experts;
  const double kept = shards_parameters(setup.strategy) ? part : parameters.dense + parameters.of_experts;
  MemoryParts parts;
  const double frozen = shards_parameters(setup.strategy) ? parameters.frozen / sharers : parameters.frozen;
  parts.weights = bytes.weights * kept + computed_bytes_per_parameter(setup.precision) * frozen;
  parts.gradients = bytes.gradients * kept;
  parts.optimizer = bytes.optimizer * part;
  return parts;
}

} // namespace ddlsim
