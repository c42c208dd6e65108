#pragma once
// Caches the results of one step that many samples share.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/graph.hpp"
#include "sim/iteration/neighbours_cost.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/machine.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ddlsim {

/// All values of a sample that decide how gradients travel: samples with equal inputs have equal communication.
struct CommunicationInputs {
  Machine machine;
  double compute_s = 0; ///< of the undisturbed GPU, without model_discrepancy
  Parameters sample; ///< 0 for values that the strategy does not read, that the two above hold, or that are added later

  bool operator==(const CommunicationInputs&) const = default;
};

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample);

/// Result of executing the graph of an iteration.
struct IterationResult {
  double end_s = 0;       ///< before straggling and the like
  double input_end_s = 0; ///< when the samples of the next iteration are there
  double free_end_s = 0;  ///< end of a pipeline's iteration if its transfers took no time; else 0
  ExposedParts exposed{}; ///< of a pipeline, or with offload
  std::string part;       ///< name of the exposed part: communication, server-link or server-software
  Choice choice{};
  double mean_staleness = 0; ///< ps-async only
  double simgrid_messages = 0;
  std::optional<LargestCollective> largest_collective{};
  JobTraffic traffic{}; ///< only for a job with neighbours
};

/// The rule by which tensors are placed on servers, and the order in which a hash numbers them.
struct PlacementRule {
  Sharding sharding = Sharding::unknown;
  std::optional<std::uint64_t> key_order;

  bool operator==(const PlacementRule&) const = default;
};

/// The graph of the last sample. Graphs of samples with equal placing differ in times and rates only.
struct LastGraph {
  Graph graph;
  PlacementRule rule;
};

/// Cached results of one setup at one fidelity, for one thread.
struct StepCache {
  struct CachedIteration {
    CommunicationInputs inputs;
    IterationResult result;
  };
  std::optional<BackwardShape> shape;
  std::optional<LastGraph> graph;
  std::optional<CachedIteration> iteration; ///< of the last sample that was run while `stores` was true
  bool stores = true;                       ///< whether a run replaces `iteration`
};

/// Returns the same time as without a cache, to the bit. Where the sample's inputs equal those of `memory.iteration`,
/// it runs nothing and only adds up seconds.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity, StepCache& memory);

} // namespace ddlsim
