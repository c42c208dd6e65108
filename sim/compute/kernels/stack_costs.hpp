#pragma once
// What a training stack adds to the kernels of its model: passes over memory, launches, the host, the update.

#include "sim/compute/kernels/attention.hpp"
#include "sim/formats/names.hpp"

#include <string>

namespace ddlsim {

/// Training stacks whose costs are known.
enum class TrainingStack { megatron, megatron_deepspeed, pytorch, libtorch };

/// Its name: "megatron-deepspeed".
std::string to_text(TrainingStack stack);

/// How element-wise operations run: each group of them as one kernel, or each as a kernel of its own.
enum class ElementPasses { fused, eager };

/// Facts and constants of a stack that the time of a step depends on.
struct StackCosts {
  AttentionKernel attention = AttentionKernel::flash2;
  ElementPasses passes = ElementPasses::fused;
  Recompute recompute = Recompute::none;
  bool separate_casts = true;   ///< inputs of fp8 and NVFP4 products are converted by kernels of their own
  double logit_bytes = 0;       ///< passes over a logit, forward and backward
  double gradient_bytes = 0;    ///< passes over a parameter of the layers in each micro-batch, to add up gradients
  double update_bytes = 0;      ///< passes over a parameter that this GPU updates
  double host_layer_s = 0;      ///< the host's time for a layer and a micro-batch, forward and backward
  double forward_launches = 10; ///< element-wise kernels of a layer
  double backward_launches = 20;
};

/// Returns the usual costs of a stack. `compiled`: by torch.compile, which fuses passes and spares the host. Attention
/// and recomputation are for the caller to set.
StackCosts costs_of(TrainingStack stack, bool compiled = false);

} // namespace ddlsim
