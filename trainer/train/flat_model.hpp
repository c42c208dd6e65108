#pragma once
// A model's tensors in flat arrays: its parameters, gradients and buffers (batch norm's running statistics).

#include "trainer/compute/compute_source.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ddltrain {

std::vector<std::size_t> element_counts(const std::vector<NamedTensor>& tensors);

/// Returns the values of the tensors in one array in host memory, in their order.
std::vector<float> flat_values(const std::vector<NamedTensor>& tensors);

/// Returns the indices of the tensors in the order in which a backward pass finishes their gradients; the function runs
/// one. Parameters do not change. Throws std::logic_error when a tensor gets no gradient, or several.
std::vector<std::int64_t> ready_order(ComputeSource& compute, const Batch& batch);

/// Tensors whose values and gradients lie in two flat arrays on the device of the tensors, in the order of ready
/// gradients. The compute source works on these arrays.
class FlatModel {
public:
  /// ready: the result of ready_order, the same on all ranks.
  FlatModel(const std::vector<NamedTensor>& tensors, const std::vector<std::int64_t>& ready);

  const GradientLayout& layout() const { return layout_; }
  /// Returns the position of each tensor in the layout.
  const std::vector<std::size_t>& positions() const { return positions_; }
  ModelMemory memory() const; ///< memory of the device
  const at::Tensor& flat_parameters() const { return parameters_; }
  const at::Tensor& flat_gradients() const { return gradients_; }
  void zero_gradients();

  /// Returns the parameters, flat, in the order of the tensors, in host memory.
  std::vector<float> parameters() const;
  void set_parameters(const std::vector<float>& in_creation_order);

private:
  std::vector<at::Tensor> tensors_;
  GradientLayout layout_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> starts_; ///< start of each tensor in the order of creation
  at::Tensor parameters_;
  at::Tensor gradients_;
};

class Network;

/// Moves the network's buffers into one flat fp32 tensor on its device, which the network uses from then on. Empty
/// where the network has none.
at::Tensor flatten_buffers(const Network& network);

/// Returns the elements of all buffers, in the order of registration, in host memory.
std::vector<float> buffer_values(const Network& network);

/// Copy the buffers, and copy them back: a pass that only measures must not change running statistics.
std::vector<at::Tensor> copies_of_buffers(const Network& network);
void set_buffers(const Network& network, const std::vector<at::Tensor>& values);

} // namespace ddltrain
