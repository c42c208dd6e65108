#include "trainer/describe/layer_table.hpp"
#include "trainer/layers/units.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"

#include <ATen/ops/rand.h>
#include <catch2/catch.hpp>

namespace {

/// A network of four inputs a sample whose forward pass is whatever the test gives.
class TinyNetwork final : public ddltrain::Network {
public:
  using Forward = std::function<at::Tensor(ddltrain::Unit& first, ddltrain::Unit& second, const at::Tensor& input)>;
  explicit TinyNetwork(Forward forward)
      : first_(register_module("first", ddltrain::linear(4, 4))),
        second_(register_module("second", ddltrain::linear(4, 4))), forward_(std::move(forward)) {}

  ddltrain::Batch random_batch(std::int64_t samples) const override { return {{at::rand({samples, 4})}, {}}; }
  at::Tensor losses(const ddltrain::Batch& batch) override {
    return forward_(*first_, *second_, batch.inputs.at(0)).sum(1);
  }

private:
  ddltrain::UnitPtr first_, second_;
  Forward forward_;
};

ddltrain::LayerTable describe(TinyNetwork::Forward forward) {
  return ddltrain::describe(*std::make_shared<TinyNetwork>(std::move(forward)));
}

} // namespace

TEST_CASE("Layers are listed in the order they are called, not registered") {
  const auto table =
      describe([](auto& first, auto& second, const at::Tensor& x) { return first.forward(second.forward(x)); });
  REQUIRE(table.size() == 2);
  CHECK(table[0].name == "second");
  CHECK(table[1].name == "first");
  CHECK(table[0].tensors.at(0).name == "second.weight");
  CHECK(table[0].forward_flop_per_sample == 32);     // 2 x 4 x 4
  CHECK(table[0].activation_bytes_per_sample == 16); // four values of 4 bytes
}

TEST_CASE("A layer called twice is an error: its gradient would be ready twice") {
  CHECK_THROWS_WITH(describe([](auto& first, auto& second, const at::Tensor& x) {
                      return second.forward(first.forward(first.forward(x)));
                    }),
                    "layer first was called twice");
}

TEST_CASE("A trained tensor in no layer that was called is an error") {
  CHECK_THROWS_WITH(describe([](auto& first, auto&, const at::Tensor& x) { return first.forward(x); }),
                    "no layer was called with second.weight");
}

TEST_CASE("A sample's work and shapes do not depend on the batch") {
  const auto name = GENERATE(as<std::string>{}, "lenet5", "mobilenet_v2", "bert_base_seq64");
  const auto network = ddltrain::find_model(name).make();
  const auto two = ddltrain::describe(*network, 2);
  const auto three = ddltrain::describe(*network, 3);
  REQUIRE(two.size() == three.size());
  for (std::size_t i = 0; i < two.size(); ++i) {
    INFO(two[i].name);
    CHECK(two[i].name == three[i].name);
    CHECK(two[i].forward_flop_per_sample == three[i].forward_flop_per_sample);
    CHECK(two[i].activation_bytes_per_sample == three[i].activation_bytes_per_sample);
  }
}

TEST_CASE("Gradients reach every trained tensor, and one step along them lowers the loss") {
  const auto name = GENERATE(as<std::string>{}, "lenet5", "alexnet_mxnet");
  const auto network = ddltrain::find_model(name).make();
  network->eval(); // dropout off: the same loss each time
  const auto batch = network->random_batch(2);
  const at::Tensor before = network->losses(batch).mean();
  before.backward();
  for (auto& item : network->named_parameters()) {
    INFO(item.key());
    REQUIRE(item.value().grad().defined());
    const at::NoGradGuard no_gradient;
    constexpr double loss_step = 1e-3; // small: the loss falls to first order
    item.value().sub_(item.value().grad(), loss_step);
  }
  CHECK(network->losses(batch).mean().item<double>() < before.item<double>());
}
