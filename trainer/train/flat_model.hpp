#pragma once
// A model's tensors in flat arrays: parameters and gradients, and what a network keeps beside them (batch norm's
// running statistics).

#include "trainer/compute/compute_source.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"

#include <ATen/core/Tensor.h>

#include <vector>

namespace ddltrain {

std::vector<std::size_t> element_counts(const std::vector<NamedTensor>& tensors);

/// The tensors' values in one array in host memory, in their order.
std::vector<float> flat_values(const std::vector<NamedTensor>& tensors);

/// Indices of the tensors in the order in which a backward pass finishes their gradients, found by running one.
/// Leaves parameters as they are. Throws std::logic_error when a tensor gets no gradient, or several.
std::vector<std::int64_t> ready_order(ComputeSource& compute, const Batch& batch);

/// Tensors whose values and gradients lie in two flat arrays, in the order ready, on the device of the tensors, where
/// the compute source finds them.
class FlatModel {
public:
  /// ready: as ready_order's, the same on all ranks.
  FlatModel(const std::vector<NamedTensor>& tensors, const std::vector<std::int64_t>& ready);

  const GradientLayout& layout() const { return layout_; }
  /// Position in the layout of each tensor.
  const std::vector<std::size_t>& positions() const { return positions_; }
  ModelMemory memory() const; ///< the device's
  const at::Tensor& flat_parameters() const { return parameters_; }
  const at::Tensor& flat_gradients() const { return gradients_; }
  void zero_gradients();

  /// Parameters, flat, in the order of the tensors, in host memory.
  std::vector<float> parameters() const;
  void set_parameters(const std::vector<float>& in_creation_order);

private:
  std::vector<at::Tensor> tensors_;
  GradientLayout layout_;
  std::vector<std::size_t> positions_;
  std::vector<std::size_t> starts_; ///< of each tensor in the order created
  at::Tensor parameters_;
  at::Tensor gradients_;
};

class Network;

/// Lays the network's buffers into one flat fp32 tensor on its device, on which the network works from then on. Empty
/// where it has none.
at::Tensor flatten_buffers(const Network& network);

/// All buffers' elements, in the order registered, in host memory.
std::vector<float> buffer_values(const Network& network);

/// Copies, and back: a pass that only looks must not move running statistics.
std::vector<at::Tensor> copies_of_buffers(const Network& network);
void set_buffers(const Network& network, const std::vector<at::Tensor>& values);

} // namespace ddltrain
