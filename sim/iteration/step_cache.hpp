#pragma once
// One step asked in many worlds: what need not be worked out again.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/machine.hpp"

#include <optional>

namespace ddlsim {

/// All of a world that decides how gradients travel: worlds with equal inputs have them travel alike.
struct TravelInputs {
  Machine machine;
  double compute_s = 0; ///< of the undisturbed GPU, without form_residual
  Parameters world;     ///< 0 where the strategy does not read it, it is in the two above, or it is added afterwards
};
bool operator==(const TravelInputs& a, const TravelInputs& b);

TravelInputs travel_inputs(const StepSetup& setup, const Parameters& world);

/// What was found out about one setup at one fidelity; for one thread.
struct StepMemory {
  struct Travelled {
    TravelInputs inputs;
    Exposed exposed;
  };
  std::optional<BackwardShape> shape;
  std::optional<Travelled> travelled; ///< in the last world that was run while `learns`
  bool learns = true;
};

/// The same as without a memory, to the bit. Where the world agrees with `memory.travelled` in all that decides,
/// nothing is run: only seconds are added up.
StepTime time_step(const StepSetup& setup, const Parameters& world, Fidelity fidelity, StepMemory& memory);

} // namespace ddlsim
