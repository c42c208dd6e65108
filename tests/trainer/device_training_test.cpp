// What trains on a GPU, on the processor's tensors: the same code, so it is held to the host's path.
#include "trainer/communication/mpi_session.hpp"
#include "trainer/cuda/device.hpp"
#include "trainer/models/catalogue.hpp"
#include "trainer/models/image_network.hpp"
#include "trainer/synchronisation/tensor_sgd.hpp"
#include "trainer/train/flat_model.hpp"
#include "trainer/train/training_step.hpp"

#include <ATen/Context.h>
#include <ATen/ops/randn.h>
#include <ATen/ops/zeros_like.h>
#include <catch2/catch.hpp>

#include <cmath>

using namespace ddltrain;

namespace {

std::vector<float> values_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), tensor.data_ptr<float>() + tensor.numel()};
}

} // namespace

TEST_CASE("An update by tensor operations is the host's, but for rounding") {
  constexpr float rounding = 1e-6F;    // of values around 1, some units of 2^-24 a step
  constexpr std::int64_t count = 1003; // no multiple of a vector's width
  const SgdOptions options = {.learning_rate = 0.0371,
                              .weight_decay = 0.01,
                              .gradient_share = 1.0 / 3,
                              .schedule = {.steps_between = 2, .factor = 0.3}};
  at::Tensor parameters = at::randn({count});
  std::vector<float> on_host = values_of(parameters);
  at::Tensor gradients = at::zeros_like(parameters);
  TensorSgd tensor_sgd(parameters, gradients, options);
  MomentumSgd host_sgd(count, options);
  for (std::size_t step = 0; step < 5; ++step) {
    const at::Tensor drawn = at::randn({count});
    host_sgd.update(on_host.data(), drawn.data_ptr<float>(), 0, count, step);
    const double scale = step % 2 == 0 ? 1 : 65536; // a power of two does not round
    gradients.copy_(drawn).mul_(scale);
    tensor_sgd.update(scale, step);
    const std::vector<float> found = values_of(parameters);
    for (std::size_t i = 0; i < found.size(); ++i) REQUIRE(std::abs(found[i] - on_host[i]) < rounding);
  }
}

TEST_CASE("A flat model keeps parameters and hands them back in the order created") {
  std::vector<NamedTensor> tensors;
  for (const std::int64_t count : {2, 3, 1}) {
    tensors.push_back({"p" + std::to_string(count), at::randn({count}).set_requires_grad(true)});
  }
  const std::vector<float> before = flat_values(tensors);
  FlatModel model(tensors, {2, 0, 1});
  CHECK(model.parameters() == before);
  CHECK(values_of(model.flat_parameters())[0] == before[5]); // ready first
  model.set_parameters({1, 2, 3, 4, 5, 6});
  CHECK(values_of(tensors[1].tensor) == std::vector<float>{3, 4, 5});
  CHECK(values_of(model.flat_parameters()) == std::vector<float>{6, 1, 2, 3, 4, 5});
  tensors[0].tensor.mutable_grad().fill_(7);
  CHECK(values_of(model.flat_gradients()) == std::vector<float>{0, 7, 7, 0, 0, 0});
}

TEST_CASE("A loss scale is halved by overflow and doubled after 2000 steps without") {
  LossScale scale(true);
  const double first = scale.value();
  scale.end_step(false);
  CHECK(scale.value() == first / 2);
  for (int step = 0; step < 1999; ++step) scale.end_step(true);
  CHECK(scale.value() == first / 2);
  scale.end_step(true);
  CHECK(scale.value() == first);
  CHECK(LossScale(false).value() == 1);
}

TEST_CASE("Ranks of a host take its GPUs in turn") {
  const NodeMap nodes = map_nodes({"a", "b", "a", "a", "b"});
  CHECK(place_on_node(nodes, 0) == 0);
  CHECK(place_on_node(nodes, 3) == 2);
  CHECK(place_on_node(nodes, 4) == 1);
  CHECK(gpu_of(2, 4) == 2);
  CHECK(gpu_of(2, 1) == 0); // a launcher that shows each rank its own
}

TEST_CASE("To learn the order of gradients moves no running statistics") {
  at::manual_seed(1);
  ImageNetworkPlan plan;
  plan.image = {3, 4, 4};
  plan.classes = 2;
  plan.units = {{"norm", batch_norm(3)}, {"flatten", flatten()}, {"fc", linear(48, 2)}};
  const auto network = image_network(std::move(plan));
  const Device device = open_device("cpu", 1);
  const std::vector<float> before = buffer_values(*network);
  CHECK(before == std::vector<float>{0, 0, 0, 1, 1, 1});
  LoneWorker worker(network, device, ddlsim::Precision::fp32, {});
  CHECK(buffer_values(*network) == before);
  const at::Tensor flat = flatten_buffers(*network);
  worker.step().run(network->random_batch(4));
  CHECK(buffer_values(*network) != before);
  CHECK(values_of(flat) == buffer_values(*network)); // the network works on the flat tensor
}

TEST_CASE("Every model has a learning rate and a weight decay with their sources") {
  for (const CatalogueEntry& entry : catalogue()) {
    INFO(entry.name);
    CHECK(entry.learning_rate.value > 0);
    CHECK_FALSE(entry.learning_rate.source.empty());
    CHECK(entry.weight_decay.value >= 0);
    CHECK_FALSE(entry.weight_decay.source.empty());
  }
}

TEST_CASE("LeNet-5 trains 20 steps on random data at its own learning rate") {
  at::manual_seed(1);
  const CatalogueEntry& entry = find_model("lenet5");
  const auto network = entry.make();
  const Device device = open_device("cpu", 1);
  SgdOptions sgd;
  sgd.learning_rate = entry.learning_rate.value;
  LoneWorker worker(network, device, ddlsim::Precision::fp32, sgd);
  const Batch batch = network->random_batch(32);
  for (int step = 0; step < 20; ++step) {
    worker.step().run(batch);
    REQUIRE(std::isfinite(worker.compute().take_loss()));
  }
}
