#pragma once
// The parts of what a GPU has in memory, and the state of a model's parameters among them.

#include "sim/iteration/step.hpp"

namespace ddlsim {

/// Bytes of one GPU at the same moment.
struct MemoryParts {
  double weights = 0;
  double gradients = 0;   ///< as the framework keeps them until the update
  double optimizer = 0;   ///< moments, and fp32 copies of weights of 16 bits
  double gathered = 0;    ///< whole units, keys and sequences that other ranks have parts of, and buckets of gradients
  double activations = 0; ///< that are kept for backward, of all micro-batches in flight
  double working = 0;     ///< gradients of activations, and what is computed again
  double logits = 0;      ///< with their copies and their gradient
  double reserve = 0;     ///< what libraries allocate, and blocks that the allocator holds and does not use

  double total() const { return weights + gradients + optimizer + gathered + activations + working + logits + reserve; }
};

/// Bytes a parameter, by part of the state.
struct StateBytes {
  double weights = 4;
  double gradients = 4;
  double optimizer = 8;
};

/// What a rank that shares nothing has for a parameter. Models with attention are trained by Adam, with two moments,
/// other models with one momentum; a parameter server's worker has neither.
///   zero-1, zero-2, 16 bits           weights and gradients 2; fp32 weights and moments (Rajbhandari et al., ZeRO, SC
///                                     2020, section 3.1)
///   model-parallel, 16 bits           weights 2; gradients in the type in which they are summed, fp32 unless the
///                                     question says otherwise (Megatron-LM 23e00ed, DistributedDataParallelConfig
///                                     grad_reduce_in_fp32)
///   fsdp, also of model-parallel      all fp32
///   others, 16 bits                   all fp32, and the 16-bit copies of weights that autocast keeps for backward
/// Another optimizer that the question names has moments of its own (moment_bytes()). Frozen weights are there once, in
/// the type of compute, and have no gradients and no moments.
/// With offload the GPU has no optimizer state; of gradients those of zero-1 only; of fsdp's weights those of compute,
/// or none.
StateBytes state_bytes(const StepSetup& setup);

/// Weights, gradients and optimizer of data parallelism and of sharded strategies.
MemoryParts state_of_model(const StepSetup& setup);

/// What a rank has of other ranks' state while it computes, and buckets of gradients.
///   fsdp              the root and `gathers_in_flight` units whole in the type of compute, all of them where units are
///                     not freed after forward; a unit's gradient whole in that type and in that of its sum
///   buckets           a second copy of all gradients (torch/nn/parallel/distributed.py, gradient_as_bucket_view)
///   fusion            one buffer
double gathered_of_model(const StepSetup& setup);

/// Parameters that a stage's rank has: `dense` of them as often as there are ranks with the same layers, experts less
/// often where they are dealt out.
struct StageParameters {
  double dense = 0;
  double of_experts = 0;
  double frozen = 0; ///< that are not trained
};

/// The number of ranks that share one copy of a stage's state; 1 where each has all of it.
double sharers_of_state(const StepSetup& setup);

/// The state of a stage. With zero-1 ranks with the same parameters share the optimizer's, with fsdp all of it.
MemoryParts state_of_stage(const StepSetup& setup, const StageParameters& parameters);

} // namespace ddlsim
