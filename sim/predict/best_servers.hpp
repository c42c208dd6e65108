#pragma once
// "servers": "best": how many servers a strategy has at a scale, where, and by which rule they share tensors.

#include "sim/iteration/step.hpp"

#include <map>
#include <mutex>
#include <vector>

namespace ddlsim {

/// What is tried at the setup's scale, in the order in which one is preferred among equals: fewer hosts bought, then
/// fewer servers.
///   count      1, 2, 4, ... up to the worker nodes, one a node, two a node, as many as workers
///   placement  the strategy's; where it leaves that open, colocated and dedicated
///   sharding   the strategy's; where it leaves that open, the preset's `sharding_choices`; without these it stays
///              open, so that each sample has the preset's rule
/// Left out is what would cut tensors into more than half a million shards.
std::vector<Strategy> server_candidates(const StepSetup& setup);

/// The choice among them at every scale, by the most samples/s per node bought, the hosts of dedicated servers among
/// them. One sample decides, by the formulas, and its choice holds for all samples of a point. What is within 0.1 % of the
/// highest counts as equal. Same arguments, same choice. Candidates that a lower bound of their iteration rules out are
/// not run.
class BestServers {
public:
  /// `setup` is of any scale; its references must outlive this.
  BestServers(const StepSetup& setup, const Parameters& likeliest, int gpus_per_full_node)
      : setup_(setup), likeliest_(likeliest), gpus_per_full_node_(gpus_per_full_node) {}

  /// The strategy with all of that named. From any thread; a scale is searched once.
  Strategy at(int gpus) const;

private:
  StepSetup setup_;
  Parameters likeliest_;
  int gpus_per_full_node_;
  mutable std::mutex searching_;
  mutable std::map<int, Strategy> known_;
};

} // namespace ddlsim
