#pragma once
#include "trainer/models/network.hpp"
#include "trainer/synchronisation/gradient_layout.hpp"

#include <torch/csrc/autograd/function.h>

namespace ddltrain {

/// The trained tensors, each once, in the order the model creates them.
std::vector<at::Tensor> trained_tensors(const Network& network);

std::vector<std::size_t> element_counts(const std::vector<at::Tensor>& tensors);

/// Creation indices in the order in which backward finishes gradients, found by one backward on random data.
/// Leaves parameters as they are. Throws std::logic_error when a tensor gets no gradient.
std::vector<std::int64_t> ready_order(Network& network);

/// A network whose parameters and gradients lie in two flat arrays, in the order ready. The network stays usable after.
class FlatModel {
public:
  /// ready: as ready_order's, the same on all ranks.
  FlatModel(Network& network, const std::vector<std::int64_t>& ready);
  ~FlatModel();
  FlatModel(const FlatModel&) = delete;
  FlatModel& operator=(const FlatModel&) = delete;

  const GradientLayout& layout() const { return layout_; }
  ModelMemory memory();
  void zero_gradients();
  /// Who is told of each gradient's position when it is ready.
  void on_ready(std::function<void(std::size_t position)> told) { told_ = std::move(told); }

  /// Parameters, flat, in the order created.
  std::vector<float> parameters() const;
  void set_parameters(const std::vector<float>& in_creation_order);

private:
  struct Watch {
    std::shared_ptr<torch::autograd::Node> node; ///< accumulates the gradient; lives as long as somebody holds it
    std::uintptr_t hook = 0;
  };

  std::vector<at::Tensor> tensors_;
  GradientLayout layout_;
  at::Tensor parameters_;
  at::Tensor gradients_;
  std::vector<Watch> watches_;
  std::function<void(std::size_t)> told_;
};

} // namespace ddltrain
