#pragma once
// One step in many samples: what need not be computed again.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/machine.hpp"

#include <optional>

namespace ddlsim {

/// All of a sample that decides how gradients travel: samples with equal inputs have equal communication.
struct CommunicationInputs {
  Machine machine;
  double compute_s = 0; ///< of the undisturbed GPU, without model_discrepancy
  Parameters sample;    ///< 0 where the strategy does not read it, it is in the two above, or it is added afterwards
};
bool operator==(const CommunicationInputs& a, const CommunicationInputs& b);

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample);

/// What is known of one setup at one fidelity; for one thread.
struct StepCache {
  struct CachedCommunication {
    CommunicationInputs inputs;
    CommunicationResult exposed;
  };
  std::optional<BackwardShape> shape;
  std::optional<CachedCommunication> communication; ///< in the last sample that was run while `learns`
  bool learns = true;
};

/// The same as without a cache, to the bit. Where the sample's inputs equal those of `memory.communication`, nothing is
/// run: only seconds are added up.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity, StepCache& memory);

} // namespace ddlsim
