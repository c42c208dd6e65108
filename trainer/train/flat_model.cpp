#include "trainer/train/flat_model.hpp"

#include <ATen/core/grad_mode.h>
#include <ATen/ops/zeros.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace ddltrain {
namespace {

using torch::autograd::variable_list;

constexpr std::int64_t kProbeSamples = 2; ///< the fewest that batch normalisation takes

/// Runs after a tensor's gradient was accumulated.
class ReadyHook final : public torch::autograd::FunctionPostHook {
public:
  explicit ReadyHook(std::function<void()> ready) : ready_(std::move(ready)) {}
  variable_list operator()(const variable_list& outputs, const variable_list&) override {
    ready_();
    return outputs;
  }

private:
  std::function<void()> ready_;
};

std::shared_ptr<torch::autograd::Node> accumulator(const at::Tensor& tensor) {
  return torch::autograd::impl::grad_accumulator(tensor);
}

void backward_of_random_data(Network& network) {
  network.losses(network.random_batch(kProbeSamples)).mean().backward();
}

} // namespace

std::vector<at::Tensor> trained_tensors(const Network& network) {
  std::vector<at::Tensor> tensors;
  std::set<const void*> seen;
  for (const at::Tensor& tensor : network.parameters()) {
    if (tensor.requires_grad() && seen.insert(tensor.unsafeGetTensorImpl()).second) tensors.push_back(tensor);
  }
  return tensors;
}

std::vector<std::size_t> element_counts(const std::vector<at::Tensor>& tensors) {
  std::vector<std::size_t> counts;
  for (const at::Tensor& tensor : tensors) counts.push_back(static_cast<std::size_t>(tensor.numel()));
  return counts;
}

std::vector<std::int64_t> ready_order(Network& network) {
  const std::vector<at::Tensor> tensors = trained_tensors(network);
  std::vector<std::int64_t> order;
  std::vector<std::pair<std::shared_ptr<torch::autograd::Node>, std::uintptr_t>> hooks;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const auto node = accumulator(tensors[i]);
    const auto hook = node->add_post_hook(
        std::make_unique<ReadyHook>([&order, i] { order.push_back(static_cast<std::int64_t>(i)); }));
    hooks.emplace_back(node, hook);
  }
  network.train();
  backward_of_random_data(network);
  for (const auto& [node, hook] : hooks) node->del_post_hook(hook);
  for (const at::Tensor& tensor : tensors) tensor.mutable_grad() = at::Tensor();
  if (order.size() != tensors.size()) throw std::logic_error("not every parameter gets one gradient a step");
  return order;
}

FlatModel::FlatModel(Network& network, const std::vector<std::int64_t>& ready)
    : tensors_(trained_tensors(network)),
      layout_(lay_out(element_counts(tensors_), std::vector<std::size_t>(ready.begin(), ready.end()))),
      parameters_(at::zeros({static_cast<std::int64_t>(element_count(layout_))}, at::kFloat)),
      gradients_(at::zeros_like(parameters_)) {
  const at::NoGradGuard no_gradient;
  for (std::size_t position = 0; position < layout_.size(); ++position) {
    const TensorPlace& place = layout_[position];
    at::Tensor& tensor = tensors_[place.tensor];
    const auto first = static_cast<std::int64_t>(place.first);
    const auto part = [&](const at::Tensor& flat) {
      return flat.narrow(0, first, tensor.numel()).view(tensor.sizes());
    };
    const at::Tensor values = part(parameters_);
    values.copy_(tensor);
    tensor.set_data(values);
    tensor.mutable_grad() = part(gradients_);
    const auto node = accumulator(tensor);
    const auto hook = node->add_post_hook(std::make_unique<ReadyHook>([this, position] {
      if (told_) told_(position);
    }));
    watches_.push_back({node, hook});
  }
}

FlatModel::~FlatModel() {
  for (const Watch& watch : watches_) watch.node->del_post_hook(watch.hook);
}

ModelMemory FlatModel::memory() {
  return {parameters_.data_ptr<float>(), gradients_.data_ptr<float>()};
}

void FlatModel::zero_gradients() {
  gradients_.zero_();
}

std::vector<float> FlatModel::parameters() const {
  std::vector<float> values(element_count(layout_));
  std::vector<std::size_t> starts(tensors_.size());
  for (std::size_t i = 1; i < starts.size(); ++i) {
    starts[i] = starts[i - 1] + static_cast<std::size_t>(tensors_[i - 1].numel());
  }
  for (const TensorPlace& place : layout_) {
    std::copy_n(parameters_.data_ptr<float>() + place.first, place.count, values.data() + starts[place.tensor]);
  }
  return values;
}

void FlatModel::set_parameters(const std::vector<float>& in_creation_order) {
  std::vector<std::size_t> starts(tensors_.size());
  for (std::size_t i = 1; i < starts.size(); ++i) {
    starts[i] = starts[i - 1] + static_cast<std::size_t>(tensors_[i - 1].numel());
  }
  for (const TensorPlace& place : layout_) {
    std::copy_n(in_creation_order.data() + starts[place.tensor], place.count,
                parameters_.data_ptr<float>() + place.first);
  }
}

} // namespace ddltrain
