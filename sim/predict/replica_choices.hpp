#pragma once
// What a search of layouts lets replicas of model parallelism do with gradients.

#include "sim/iteration/step.hpp"

#include <vector>

namespace ddlsim {

/// What replicas do with gradients, and in which groups they share parameters.
struct ReplicaChoice {
  DataParallel kind = DataParallel::zero_1;
  int shard_group = ShardedOptions::all_ranks; ///< of fsdp
};

/// What the setup's strategy states; or, where it leaves this open, what the software of the preset can do, the usual
/// way first. fsdp is tried with one copy of the parameters on all replicas and, where these are on several nodes, with
/// a copy on each node (hybrid sharding). `parallel` has the degrees. One replica has nobody to share with.
std::vector<ReplicaChoice> replica_choices(const StepSetup& setup, const ModelParallelOptions& parallel);

} // namespace ddlsim
