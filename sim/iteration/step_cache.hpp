#pragma once
// One step asked in many samples: what need not be worked out again.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/machine.hpp"

#include <optional>

namespace ddlsim {

/// All of a sample that decides how gradients travel: samples with equal inputs have them travel alike.
struct CommunicationInputs {
  Machine machine;
  double compute_s = 0; ///< of the undisturbed GPU, without model_discrepancy
  Parameters sample;    ///< 0 where the strategy does not read it, it is in the two above, or it is added afterwards

  bool operator==(const CommunicationInputs&) const = default;
};

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample);

/// What was found out about one setup at one fidelity; for one thread.
struct StepCache {
  struct CachedCommunication {
    CommunicationInputs inputs;
    CommunicationResult exposed;
  };
  std::optional<BackwardShape> shape;
  std::optional<CachedCommunication> communication; ///< in the last sample that was run while `learns`
  bool learns = true;
};

/// The same as without a memory, to the bit. Where the sample agrees with `memory.travelled` in all that decides,
/// nothing is run: only seconds are added up.
StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity fidelity, StepCache& memory);

} // namespace ddlsim
