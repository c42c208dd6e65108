#pragma once
// One step in many samples: what need not be computed again.

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

/// All of a sample that decides how gradients travel: samples with equal inputs have equal communication.
struct CommunicationInputs {
  Machine machine;
  double compute_s = 0; ///< of the undisturbed GPU, without model_discrepancy
  Parameters sample;    ///< 0 where the strategy does not read it, it is in the two above, or it is added afterwards

  bool operator==(const CommunicationInputs&) const = default;
};

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample);

/// What executing the graph of an iteration gave.
struct IterationResult {
  double end_s = 0;       ///< before straggling and the like
  double input_end_s = 0; ///< when the samples of the next iteration are there
  double free_end_s = 0;  ///< of a pipeline: its end if its transfers took no time; else 0
  ExposedParts exposed{}; ///< of a pipeline, or with offload
  std::string part;       ///< that communication takes: communication, server-link or server-software
  Choice choice{};
  double mean_staleness = 0; ///< ps-async only
  double simgrid_messages = 0;
  std::optional<LargestCollective> largest_collective{};
  JobTraffic traffic{}; ///< beside neighbours only
};

/// By what rule tensors are placed on servers, and in what order a hash numbers them.
struct Placing {
  Sharding sharding = Sharding::unknown;
  std::optional<std::uint64_t> key_order;

  bool operator==(const Placing&) const = default;
};

/// The graph of a sample. Of samples that place tensors alike, the graphs differ in times and rates alone.
struct LastGraph {
  Graph graph;
  Placing placing;
};

/// What is known of one setup at one fidelity; for one thread.
struct StepCache {
  struct CachedIteration {
    CommunicationInputs inputs;
    IterationResult result;
  };
  std::optional<BackwardShape> shape;
  std::optional<LastGraph> graph;
  std::optional<CachedIteration> iteration; ///< of the last sample that was run while `stores`
  bool stores = true;                       ///< whether a run replaces `iteration`
};

/// The same as without a cache, to the bit. Where the sample's inputs equal those of `memory.iteration`, nothing is
/// run: only seconds are added up.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity, StepCache& memory);

} // namespace ddlsim
