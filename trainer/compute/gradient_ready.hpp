#pragma once
#include "trainer/compute/compute_source.hpp"

#include <memory>

namespace ddltrain {

/// Tells when each parameter's gradient has been added up in a backward pass, by a hook after autograd's AccumulateGrad
/// node. The hooks stay until this is destroyed and cost one call of an empty function while nobody listens.
class GradientReadyHooks {
public:
  /// parameters: leaves that need gradients.
  explicit GradientReadyHooks(const std::vector<at::Tensor>& parameters);
  ~GradientReadyHooks();
  GradientReadyHooks(const GradientReadyHooks&) = delete;
  GradientReadyHooks& operator=(const GradientReadyHooks&) = delete;

  /// Whom to call from now on; an empty function tells nobody.
  void listen(GradientReady ready);

private:
  struct State;
  std::shared_ptr<State> state_;
};

} // namespace ddltrain
