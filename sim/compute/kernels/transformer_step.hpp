#pragma once
// The time of one training step of a transformer on one GPU of a job, from the kernels that it runs.

#include "sim/compute/kernels/rates.hpp"
#include "sim/compute/kernels/stack_costs.hpp"
#include "sim/compute/kernels/step_parts.hpp"
#include "sim/compute/kernels/transformer_sizes.hpp"

namespace ddlsim {

/// How a step is divided over the GPUs of a job.
struct StepLayout {
  double micro_batch = 1;   ///< sequences of a micro-batch
  double micro_batches = 1; ///< of a step, for each replica
  double tensor = 1;
  double pipeline = 1;
  double virtual_stages = 1; ///< pieces of the model on each stage
  double context = 1;
  double optimizer_shards = 1; ///< GPUs over which the update of a parameter is divided
  bool sequence_parallel = false;
};

/// Times of collectives, which the caller knows; seconds of one layer and one micro-batch.
struct LayerTraffic {
  double forward_s = 0;  ///< of the tensor group, and of the context group as far as compute waits for it
  double backward_s = 0; ///< besides what a recomputed forward repeats
  double sharding_s = 0; ///< gathers and reduce-scatters of a sharded layer; compute hides as much of them as it lasts
};

/// Returns the time of a step, without the exchange of gradients between replicas:
///
///   layer = ((forward + backward + exposed sharding)^6 + host^6)^(1/6)
///   total = (micro_batches + (pipeline - 1) / virtual_stages) x layers / pipeline x layer + micro_batches x head
///           + update
///
/// Equal layers are timed once.
TransformerStep transformer_step(const TransformerSizes& shape, const StepLayout& layout, const StackCosts& stack,
                                 const KernelRates& rates, const LayerTraffic& traffic = {});

} // namespace ddlsim
