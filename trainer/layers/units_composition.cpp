// Chain, residual block and branches: units made of units.

#include "trainer/layers/layer_definition.hpp"
#include "trainer/layers/unit.hpp"
#include "trainer/layers/units.hpp"

#include <ATen/ops/cat.h>

namespace ddltrain {
namespace {

void register_units(torch::nn::Module& owner, const Units& units) {
  for (const NamedUnit& named : units) {
    owner.register_module(named.name, named.unit);
  }
}

at::Tensor run(const Units& units, at::Tensor value) {
  for (const NamedUnit& named : units) {
    value = named.unit->forward(value);
  }
  return value;
}

class Flatten final : public Unit {
public:
  at::Tensor forward(const at::Tensor& input) override { return input.flatten(1); }
};

class Chain final : public Unit {
public:
  explicit Chain(const Units& steps) : steps_(steps) { register_units(*this, steps_); }
  at::Tensor forward(const at::Tensor& input) override { return run(steps_, input); }

private:
  Units steps_;
};

class Residual final : public Unit {
public:
  Residual(const Units& main, const Units& shortcut, const Units& after)
      : main_(main), shortcut_(shortcut), after_(after), add_(add()) {
    register_units(*this, main_);
    register_units(*this, shortcut_);
    register_module("add", add_);
    register_units(*this, after_);
  }
  at::Tensor forward(const at::Tensor& input) override {
    const at::Tensor main = run(main_, input);
    return run(after_, call_layer(add_, {main, run(shortcut_, input)}));
  }

private:
  Units main_;
  Units shortcut_;
  Units after_;
  UnitPtr add_;
};

class Gated final : public Unit {
public:
  explicit Gated(const Units& gate) : gate_(gate), multiply_(multiply()) {
    register_units(*this, gate_);
    register_module("multiply", multiply_);
  }
  at::Tensor forward(const at::Tensor& input) override {
    const at::Tensor factors = run(gate_, input).unsqueeze(-1).unsqueeze(-1);
    return call_layer(multiply_, {input, factors});
  }

private:
  Units gate_;
  UnitPtr multiply_;
};

class Branches final : public Unit {
public:
  explicit Branches(const std::vector<Units>& all) : branches_(all), concatenate_(concatenate()) {
    for (const Units& branch : branches_) {
      register_units(*this, branch);
    }
    register_module("concatenate", concatenate_);
  }
  at::Tensor forward(const at::Tensor& input) override {
    Tensors outputs;
    for (const Units& branch : branches_) {
      outputs.push_back(run(branch, input));
    }
    return call_layer(concatenate_, outputs);
  }

private:
  std::vector<Units> branches_;
  UnitPtr concatenate_;
};

} // namespace

UnitPtr flatten() {
  return std::make_shared<Flatten>();
}

UnitPtr chain(const Units& steps) {
  return std::make_shared<Chain>(steps);
}

UnitPtr residual(const Units& main, const Units& shortcut, const Units& after) {
  return std::make_shared<Residual>(main, shortcut, after);
}

UnitPtr gated(const Units& gate) {
  return std::make_shared<Gated>(gate);
}

UnitPtr branches(const std::vector<Units>& all) {
  return std::make_shared<Branches>(all);
}

// Layers that join several tensors into one.

UnitPtr add() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) {
    at::Tensor sum = inputs.at(0).add(inputs.at(1));
    for (std::size_t i = 2; i < inputs.size(); ++i) {
      sum = sum.add(inputs[i]);
    }
    return sum;
  };
  definition.flop = [](const Tensors& inputs, const at::Tensor& output) {
    return (static_cast<std::int64_t>(inputs.size()) - 1) * output.numel();
  };
  return make_layer(std::move(definition));
}

UnitPtr multiply() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) { return inputs.at(0).mul(inputs.at(1)); };
  definition.flop = flop_per_output_element(1);
  return make_layer(std::move(definition));
}

UnitPtr concatenate() {
  LayerDefinition definition;
  definition.kind = LayerKind::elementwise;
  definition.compute = [](const Tensors& inputs, bool) { return at::cat(inputs, /*dim=*/1); };
  definition.flop = flop_per_output_element(0);
  return make_layer(std::move(definition));
}

} // namespace ddltrain
