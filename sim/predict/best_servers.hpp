#pragma once
// Searches how many servers a strategy has at a scale, where they run, and by which rule they share tensors, for
// "servers": "best".

#include "sim/iteration/step.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace ddlsim {

/// The server settings to try at the setup's scale. Among equally good ones an earlier one is preferred: fewer bought
/// hosts come first, then fewer servers.
///   count      1, 2, 4, ... up to the worker nodes; one per node, two per node, as many as workers
///   placement  the strategy's; if it is open, colocated and dedicated
///   sharding   the strategy's; if it is open, the preset's `sharding_choices`; without these it stays open, so that
///              each sample has its own rule of the preset
/// Settings that would cut tensors into more than half a million shards are left out.
std::vector<Strategy> server_candidates(const StepSetup& setup);

/// Chooses the servers with the most samples/s per node bought at each scale, where hosts of dedicated servers count as
/// bought. The likeliest sample decides by the formulas, and all samples of a point use its choice. Results within 0.1
/// % of the highest count as equal. The same arguments give the same choice. Candidates whose lower bound on the
/// iteration time rules them out are not run.
class BestServers {
public:
  /// `setup` may have any scale. The objects that it refers to must outlive this object.
  BestServers(const StepSetup& setup, const Parameters& likeliest, int gpus_per_full_node)
      : setup_(setup), likeliest_(likeliest), gpus_per_full_node_(gpus_per_full_node) {}

  /// Returns the strategy with count, placement and sharding set. Threads may call it at the same time; each scale is
  /// searched once.
  Strategy at(int gpus) const;

private:
  StepSetup setup_;
  Parameters likeliest_;
  int gpus_per_full_node_;
  mutable std::mutex searching_;
  mutable std::map<int, Strategy> known_;
};

} // namespace ddlsim
