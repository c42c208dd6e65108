#pragma once
// Keeps the results of a step that many samples share.

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

/// All values of a sample that decide how gradients travel. Samples with equal inputs have equal communication.
struct CommunicationInputs {
  Machine machine;
  double compute_s = 0; ///< compute of an undisturbed GPU, without model_discrepancy
  /// The sample. A value is 0 if the strategy does not read it, if one of the members above includes it, or if it is
  /// added to the result later.
  Parameters sample;

  bool operator==(const CommunicationInputs&) const = default;
};

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample);

/// Result of running the graph of an iteration.
struct IterationResult {
  double end_s = 0;       ///< end of the iteration before straggling and later terms
  double input_end_s = 0; ///< time at which storage and loader have the samples of the next iteration
  double free_end_s = 0;  ///< end of a pipeline's iteration whose transfers take no time; else 0
  ExposedParts exposed{}; ///< set for a pipeline or with offload
  std::string part;       ///< name of the exposed part: communication, server-link or server-software
  Choice choice{};
  double mean_staleness = 0; ///< set for ps-async only
  double simgrid_messages = 0;
  std::optional<LargestCollective> largest_collective{};
  JobTraffic traffic{}; ///< set only for a job with neighbours
};

/// The rule by which tensors are placed on servers, and the order in which a hash numbers them.
struct PlacementRule {
  Sharding sharding = Sharding::unknown;
  std::optional<std::uint64_t> key_order;

  bool operator==(const PlacementRule&) const = default;
};

/// The graph of the last sample. Graphs of samples with the same placing differ only in times and rates.
struct LastGraph {
  Graph graph;
  PlacementRule rule;
};

/// The kept results of one setup at one fidelity, for one thread.
struct StepCache {
  struct CachedIteration {
    CommunicationInputs inputs;
    IterationResult result;
  };
  std::optional<BackwardShape> shape;
  std::optional<LastGraph> graph;
  std::optional<CachedIteration> iteration; ///< the last sample that was run while `stores` was true
  bool stores = true;                       ///< whether a run replaces `iteration`
  bool divides = true; ///< whether a pipeline's time is divided into bubble and exposed parts, which takes five passes
};

/// Returns the same time as without a cache, to the last bit. Where the sample's inputs equal those of
/// `memory.iteration`, nothing runs and seconds are only added up.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity, StepCache& memory);

} // namespace ddlsim
