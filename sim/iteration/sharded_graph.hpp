#pragma once
// Sharded data parallelism: every rank computes all layers for its samples, and keeps a part of the model's state.

#include "sim/compute/layer_times.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/host_offload.hpp"

namespace ddlsim {

/// What travels for one parameter, bytes, and what that costs a GPU beside its transfer.
struct ShardBytes {
  double gathered = 0;        ///< in what parameters are computed with
  double scattered = 0;       ///< in what gradients are summed
  double copy_s_per_byte = 0; ///< fsdp: of either, into and out of the collective's buffer, beside no compute
};

/// One GPU's iteration without synchronisation and without what is computed again, seconds.
struct WholePasses {
  double forward_s = 0;
  double backward_s = 0;
};

/// ZeRO-3, as PyTorch's FullyShardedDataParallel runs it (torch/distributed/fsdp/_runtime_utils.py of 2.1). Units are
/// those of UnitShape; collectives follow each other on one stream, because one communicator carries all of them:
///   forward    a unit is gathered before its first layer, from the start of the iteration on; the k-th gather waits
///              until the unit `gathers_in_flight` gathers before it is freed (limit_all_gathers, which has 2). Freed
///              is it after its forward; without reshard_after_forward after its backward, and nothing is limited in
///              forward
///   backward   in reverse; with reshard_after_forward each unit is gathered again, with backward_prefetch before the
///              unit behind it is computed (BackwardPrefetch.BACKWARD_PRE), without it once that one's gradients are
///              scattered. A unit's gradients are reduce-scattered when its backward has ended
///   root       is kept from its gather to the end of backward, and scattered last
/// Every micro-batch gathers and scatters all of it, as a loop without no_sync() does. What is computed again stands in
/// the backward of its unit. Copies of what was gathered stand before the first layer that needs it, those of what is
/// scattered in the unit's last backward. The update of a part takes no time here.
/// Hybrid sharding (HYBRID_SHARD; foreach_reduce() in torch/distributed/fsdp/_fully_shard/_fsdp_collectives.py at
/// 010ae4a): where fewer than all ranks, `group` of them, share one copy, all this is among them, and each scatter is
/// followed by an all-reduce of the rank's part with its like in the other groups, on a stream of its own.
/// Offload: a rank's part of a unit's gradients is copied to its host when it is summed, and the optimizer runs there
/// behind the last. Updated parameters are copied back together; or, where parameters are on the host, the rank's part
/// of a unit before each gather, when that may be issued (fsdp_params of offload_to_cpu in _fsdp_collectives.py there).
/// One GPU alone then gathers and scatters nothing.
Graph fsdp_graph(const UnitShape& shape, const WholePasses& passes, const ShardedOptions& options,
                 const ShardBytes& bytes, const Machine& machine, int group, const HostSeconds& host = {});

/// ZeRO-1 and ZeRO-2: gradients are grouped by the preset's rule as for all-reduces, and each group is
/// reduce-scattered, beside backward where the preset overlaps, else after it. Each rank then updates its part, and the
/// groups are gathered one after another, beside nothing (DeepSpeed, deepspeed/runtime/zero/stage_1_and_2.py of 0.12:
/// step() ends with all_gather_dp_groups). Of several micro-batches zero-1 scatters the sum of their gradients, zero-2
/// each one's, of which it has room for a part only. `profile` has the whole batch, and what is computed again in
/// backward. Offload (the same file at 022f223): what is scattered is copied to the host beside all else; the optimizer
/// runs there behind the last, then its part of the parameters is copied back, then gathered.
Graph zero_graph(StrategyName name, const ComputeProfile& profile, const ShardedOptions& options,
                 const ShardBytes& bytes, const Preset& preset, const Machine& machine, const HostSeconds& host = {});

} // namespace ddlsim
