#pragma once
// Sharded data parallelism: every rank computes all layers for its samples, and keeps a part of the model's state.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/host_offload.hpp"

namespace ddlsim {

/// Bytes that travel for one parameter, and the time that the GPU spends on copying them.
struct ShardBytes {
  double gathered = 0;  ///< bytes of a gathered parameter, in the precision of compute
  double scattered = 0; ///< bytes of a scattered gradient, in the precision of the sum
  /// fsdp: time of copies into and out of the collective's buffer, during which nothing computes
  double copy_s_per_byte = 0;
};

/// One GPU's forward and backward, seconds, without synchronisation and without recomputation.
struct WholePasses {
  double forward_s = 0;
  double backward_s = 0;
};

/// ZeRO-3, as PyTorch's FullyShardedDataParallel runs it (torch/distributed/fsdp/_runtime_utils.py of 2.1). Units are
/// those of UnitShape; collectives follow each other on one stream, because one communicator carries all of them:
///   forward    a unit is gathered before its first layer, from the start of the iteration on; the k-th gather waits
///              until the unit `gathers_in_flight` gathers before it is freed (limit_all_gathers, which has 2). A
///              unit is freed after its forward; without reshard_after_forward it is freed after its backward, and
///              gathers in forward are not limited
///   backward   in reverse; with reshard_after_forward each unit is gathered again: with backward_prefetch before the
///              backward of the unit behind it (BackwardPrefetch.BACKWARD_PRE), else once the gradients of the unit
///              behind it are scattered. A unit's gradients are reduce-scattered when its backward has ended
///   root       is kept from its gather to the end of backward, and scattered last
/// Every micro-batch gathers and scatters all units, as a loop without no_sync() does. Recomputation is part of its
/// unit's backward. A gathered unit is copied before the first layer that needs it; gradients are copied for their
/// scatter in the unit's last backward. The optimizer's update takes no time here.
/// Hybrid sharding (HYBRID_SHARD; foreach_reduce() in torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py at
/// 010ae4a): `group` ranks, fewer than all, share one copy of the model and run all of the above among them. After each
/// scatter the ranks that hold the same part in all groups all-reduce it, on a stream of its own.
/// Offload: a rank's part of a unit's gradients is copied to its host when it is summed. The optimizer runs there after
/// the last copy. Updated parameters are copied back together; or, where parameters are on the host, the rank's part of
/// a unit is copied when its gather may be issued (fsdp_params of offload_to_cpu in _fsdp_collectives.py there). One
/// GPU alone then gathers and scatters nothing.
Graph fsdp_graph(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options,
                 const ShardBytes& bytes, const Machine& machine, int group, const HostSeconds& host = {});

/// The graph of ZeRO-1 or ZeRO-2. Gradients are grouped by the preset's rule as for all-reduces. Each group is
/// reduce-scattered, during backward where the preset overlaps, else after it. Each rank then updates its part, and the
/// groups are gathered one after another while nothing else runs (DeepSpeed, deepspeed/runtime/zero/stage_1_and_2.py of
/// 0.12: step() ends with all_gather_dp_groups).
/// With several micro-batches zero-1 scatters the sum of their gradients. zero-2 scatters the gradients of each
/// micro-batch, because it has room for a part only. `profile` has the times of the whole batch, recomputation included
/// in backward.
/// With offload (the same file at 022f223) scattered gradients are copied to the host while other work goes on. The
/// optimizer runs there after the last copy. Then the rank's part of the parameters is copied back and gathered.
Graph zero_graph(StrategyName name, const ComputeProfile& profile, const ShardedOptions& options,
                 const ShardBytes& bytes, const Preset& preset, const Machine& machine, const HostSeconds& host = {});

} // namespace ddlsim
