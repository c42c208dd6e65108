#pragma once
// Forward and backward of one role as operations.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/graph.hpp"

#include <cstddef>

namespace ddlsim {

/// A role's stream of compute while it is being filled.
struct ComputeStream {
  std::size_t stream = 0;
  double slowdown = 1;  ///< of the role's GPUs
  double done_s = 0;    ///< of the undisturbed GPU's iteration
  std::size_t last = 0; ///< operation
};

std::size_t add_forward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

/// Backward until the tensor's gradient is ready.
std::size_t add_gradient(Graph& graph, ComputeStream& compute, const ReadyTensor& tensor);

/// What is left of backward once every gradient is ready; the last operation of the iteration's compute.
std::size_t add_rest(Graph& graph, ComputeStream& compute, const ComputeProfile& profile);

} // namespace ddlsim
