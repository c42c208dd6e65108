#include "sim/compute/kernels/stack_costs.hpp"

namespace ddlsim {

namespace {

// Bytes were counted from the sources of the stacks; times of the host are of published steps that wait for it.
// Adam in mixed precision touches 30 bytes of a parameter; the rest is clipping, zeroing and copies.

constexpr StackCosts megatron_costs{.passes = ElementPasses::fused,
                                    .logit_bytes = 40,
                                    .gradient_bytes = 8,
                                    .update_bytes = 44,
                                    .host_layer_s = 1.2e-3}; // no published step waits for the host: judgement
constexpr StackCosts megatron_deepspeed_costs{
    .passes = ElementPasses::fused, .logit_bytes = 52, .gradient_bytes = 6, .update_bytes = 44, .host_layer_s = 2.5e-3};
constexpr StackCosts pytorch_costs{.passes = ElementPasses::eager,
                                   .logit_bytes = 24,
                                   .gradient_bytes = 6,   // 4 to 8
                                   .update_bytes = 60,    // by foreach
                                   .host_layer_s = 1e-3}; // judgement
constexpr StackCosts libtorch_costs{.passes = ElementPasses::eager,
                                    .logit_bytes = 24,
                                    .gradient_bytes = 4,
                                    .update_bytes = 28,    // SGD
                                    .host_layer_s = 3e-3}; // 2.5 to 3.9
constexpr double compiled_host_layer_s = 0.4e-3;

} // namespace

std::string to_text(TrainingStack stack) {
  switch (stack) {
  case TrainingStack::megatron:
    return "megatron";
  case TrainingStack::megatron_deepspeed:
    return "megatron-deepspeed";
  case TrainingStack::pytorch:
    return "pytorch";
  case TrainingStack::libtorch:
    return "libtorch";
  }
  return "";
}

StackCosts costs_of(TrainingStack stack, bool compiled) {
  auto costs = pytorch_costs;
  if (stack == TrainingStack::megatron) costs = megatron_costs;
  if (stack == TrainingStack::megatron_deepspeed) costs = megatron_deepspeed_costs;
  if (stack == TrainingStack::libtorch) costs = libtorch_costs;
  if (!compiled) return costs;
  costs.passes = ElementPasses::fused;
  costs.host_layer_s = compiled_host_layer_s;
  return costs;
}

} // namespace ddlsim
