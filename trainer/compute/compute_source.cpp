#include "trainer/compute/compute_source.hpp"

#include <torch/csrc/autograd/function.h>
#include <torch/csrc/autograd/function_hook.h>
#include <torch/csrc/autograd/variable.h>

namespace ddltrain {

struct GradientReadyHooks::State {
  GradientReady ready;
  /// The nodes of the parameters. A parameter holds its AccumulateGrad node weakly, so without these the hooks would
  /// disappear with the first graph.
  std::vector<std::shared_ptr<torch::autograd::Node>> nodes;
  std::vector<std::uintptr_t> keys;
};

namespace {

using torch::autograd::variable_list;

class PostHook final : public torch::autograd::FunctionPostHook {
public:
  PostHook(const GradientReady& ready, std::size_t index) : ready_(ready), index_(index) {}
  variable_list operator()(const variable_list& outputs, const variable_list& /*inputs*/) override {
    if (ready_) ready_(index_);
    return outputs;
  }

private:
  const GradientReady& ready_;
  std::size_t index_;
};

} // namespace

GradientReadyHooks::GradientReadyHooks(const std::vector<at::Tensor>& parameters) : state_(std::make_shared<State>()) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    auto node = torch::autograd::impl::grad_accumulator(parameters[i]);
    state_->keys.push_back(node->add_post_hook(std::make_unique<PostHook>(state_->ready, i)));
    state_->nodes.push_back(std::move(node));
  }
}

GradientReadyHooks::~GradientReadyHooks() {
  for (std::size_t i = 0; i < state_->nodes.size(); ++i) {
    state_->nodes[i]->del_post_hook(state_->keys[i]);
  }
}

void GradientReadyHooks::listen(GradientReady ready) {
  state_->ready = std::move(ready);
}

} // namespace ddltrain
