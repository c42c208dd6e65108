#include "sim/iteration/optimizer_update.hpp"

#include "sim/compute/layer_times.hpp"
#include "sim/compute/optimizer.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/library/collective_cost.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double share_of_memory_rate = 0.8; ///< median of platforms/kernel-rates.json
constexpr double share_of_peak = 0.74;       ///< the same, of products in bf16
constexpr double direction_bytes = 2;        ///< of a number of Muon's direction, bf16

/// How a model's update is divided.
struct UpdateShares {
  double stages = 1;  ///< in which the model is cut
  double tensor = 1;  ///< ranks that have a part of every matrix
  double sharers = 1; ///< ranks that each update a part of the rest
};

UpdateShares shares_of_update(const StepSetup& setup) {
  const auto& strategy = setup.strategy;
  if (is_sharded(strategy.name))
    return {1, 1, 1.0 * ranks_of_shard_group(strategy.sharded, setup.gpus, setup.gpus_per_node)};
  if (!is_model_parallel(strategy.name)) return {};
  const auto layout = layout_of(strategy.parallel, setup.gpus);
  const bool shares = strategy.parallel.data_parallel != DataParallel::all_reduce;
  return {1.0 * layout.stages, 1.0 * layout.tensor, shares ? std::max(1.0, 1.0 * layout.sharers()) : 1};
}

double bf16_flop_per_s(const Gpu& gpu) {
  return share_of_peak * peak_flop_per_s(gpu, Precision::bf16);
}

/// Seconds of Newton-Schulz products on one rank.
double muon_products_s(const MuonWork& work, const UpdateShares& shares, const Gpu& gpu) {
  return std::max(work.flop / shares.stages / shares.sharers, work.largest_flop) / bf16_flop_per_s(gpu);
}

double compute_seconds(Optimizer optimizer, const StepSetup& setup, const UpdateShares& shares) {
  const double memory_Bps = share_of_memory_rate * setup.gpu.memory_bandwidth_Bps;
  const auto seconds = [&](Optimizer one, double parameters) {
    return touched_bytes(one) * parameters / (shares.stages * shares.tensor * shares.sharers) / memory_Bps;
  };
  if (optimizer != Optimizer::muon) return seconds(optimizer, setup.model.parameters);
  const auto work = muon_work(setup.model);
  return seconds(optimizer, work.parameters) + seconds(Optimizer::adamw, setup.model.parameters - work.parameters) +
         muon_products_s(work, shares, setup.gpu);
}

double all_gather_s(const StepSetup& setup, const Parameters& sample, const Machine& group, double size_bytes) {
  auto rules = library_rules_of(setup, sample);
  rules.operation = CollectiveOperation::all_gather;
  return started_s(rules, sample.operation_cost_s, formula_s(group, cost_of(group, rules, size_bytes)));
}

double muon_gather_s(const StepSetup& setup, const Parameters& sample, const UpdateShares& shares) {
  const auto work = muon_work(setup.model);
  const double of_rank = direction_bytes * work.parameters / shares.stages / shares.sharers;
  if (shares.sharers > 1 && setup.strategy.name == StrategyName::fsdp)
    return 2 * lone_all_to_all_s(setup, sample, of_rank);
  const auto all = machine_of(setup, sample);
  const auto layout = layout_of(setup.strategy.parallel, setup.gpus);
  const bool in_stages = is_model_parallel(setup.strategy.name);
  double seconds = 0;
  if (shares.tensor > 1) seconds += all_gather_s(setup, sample, machine_of_tensor_group(all, layout), of_rank);
  if (shares.sharers > 1)
    seconds += all_gather_s(setup, sample, in_stages ? machine_of_replicas(all, layout) : all,
                            direction_bytes * work.largest_parameters / shares.tensor);
  return seconds;
}

} // namespace

UpdateSeconds added_update(const StepSetup& setup, const Parameters& sample) {
  const bool is_here = !is_parameter_server(setup.strategy.name) && !is_offloaded(setup.strategy);
  if (!setup.optimizer || !is_here || setup.gpu.memory_bandwidth_Bps <= 0) return {};
  const auto shares = shares_of_update(setup);
  const auto usual = usual_optimizer(has_attention(setup.model));
  UpdateSeconds added;
  added.compute_s = compute_seconds(*setup.optimizer, setup, shares) - compute_seconds(usual, setup, shares);
  if (setup.optimizer == Optimizer::muon && setup.gpus > 1) added.gather_s = muon_gather_s(setup, sample, shares);
  return added;
}

StepSetup without_shared_update(StepSetup setup) {
  if (shares_update(setup.strategy.name)) setup.optimizer.reset();
  return setup;
}

} // namespace ddlsim
