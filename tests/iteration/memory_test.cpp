#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/iteration/memory.hpp"

#include <catch2/catch.hpp>

#include <map>

namespace ddlsim {
namespace {

const DataFolder shipped{DDLSIM_SOURCE_DIR};

} // namespace

TEST_CASE("least memory: three copies of the parameters and half of the outputs", "[memory]") {
  Model model;
  model.layers = {{"a", "linear", 0, 1000, {{"a.weight", {10}, 40}}}, {"b", "activation", 0, 3000, {}}};
  CHECK(least_memory_bytes(model, Precision::fp32, 2) == 3 * 40 + 0.5 * 4000 * 2);
  CHECK(least_memory_bytes(model, Precision::amp, 2) == 3 * 40 + 0.25 * 4000 * 2);
}

TEST_CASE("what does not fit is reported, with both figures", "[memory]") {
  const auto model = load_model(shipped, "resnet152_v1");
  const auto gpus = load_gpus(shipped);
  const auto& k80 = find_gpu(gpus, "K80");
  CHECK(memory_complaint(model, k80, Precision::fp32, 32).empty());
  CHECK_THAT(memory_complaint(model, k80, Precision::fp32, 512), Catch::Contains("K80") && Catch::Contains("GB"));
}

namespace {

/// A root of 1,000 parameters and two blocks of 100, 40 and 60 outputs a sample each.
Model two_blocks() {
  Model model;
  model.name = "two-blocks";
  model.layers = {{"words", "embedding", 0, 4 * 10.0, {{"words.weight", {}, 4 * 1000.0}}},
                  {"block0.in", "linear", 0, 4 * 40.0, {{"block0.weight", {}, 4 * 100.0}}},
                  {"block0.attention.fused", "attention", 0, 4 * 60.0, {}},
                  {"block1.in", "linear", 0, 4 * 40.0, {{"block1.weight", {}, 4 * 100.0}}},
                  {"block1.attention.fused", "attention", 0, 4 * 60.0, {}}};
  model.parameters = 1200;
  return model;
}

Strategy sharded(StrategyName name) {
  Strategy strategy;
  strategy.name = name;
  return strategy;
}

} // namespace

TEST_CASE("sharded state: 16 bytes a parameter, of which each strategy divides its own", "[memory]") {
  const auto need = [](StrategyName name, Precision precision, int gpus) {
    return least_memory(two_blocks(), precision, 0, sharded(name), gpus);
  };
  for (const auto name : {StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp})
    for (const auto precision : {Precision::fp32, Precision::bf16})
      CHECK(need(name, precision, 1).total() == 16 * 1200);
  CHECK(need(StrategyName::zero_1, Precision::bf16, 4).total() == 1200 * (2 + 2 + 12 / 4.0));
  CHECK(need(StrategyName::zero_2, Precision::bf16, 4).total() == 1200 * (2 + 2 / 4.0 + 12 / 4.0));
  CHECK(need(StrategyName::fsdp, Precision::bf16, 4).total() == 1200 * 16 / 4.0 + 2 * 1100); // the root and a block
  CHECK(need(StrategyName::fsdp, Precision::fp32, 4).gathered == 4 * 1100);
}

TEST_CASE("activations: of a micro-batch, half of what is kept, and the inputs of blocks that are computed again",
          "[memory]") {
  auto strategy = sharded(StrategyName::fsdp);
  const auto activations = [&] { return least_memory(two_blocks(), Precision::fp32, 8, strategy, 4).activations; };
  CHECK(activations() == 0.5 * 4 * 210 * 8);
  strategy.sharded.micro_batches = 4;
  CHECK(activations() == 0.5 * 4 * 210 * 2);
  strategy.sharded.recompute = Recompute::selective; // both attentions, of which one is there at a time
  CHECK(activations() == 0.5 * 4 * (90 + 60) * 2);
  strategy.sharded.recompute = Recompute::alternate_matmuls; // the only product of a block is kept, in 8 bits none is
  CHECK(activations() == 0.5 * 4 * 210 * 2);
  CHECK(least_memory(two_blocks(), Precision::fp8, 8, strategy, 4).activations ==
        (4 * 70 + 0.5 * 4 * (130 + 40)) * 2 / 4);
  strategy.sharded.recompute = Recompute::full; // inputs of the blocks: 10 and 60; then one block
  CHECK(activations() == (4 * 70 + 0.5 * 4 * (10 + 100)) * 2);
  const auto in = [&](Precision precision) { return least_memory(two_blocks(), precision, 8, strategy, 4); };
  CHECK(in(Precision::bf16).activations == activations() / 2);
  CHECK(in(Precision::fp8).activations == activations() / 4);
  CHECK(in(Precision::fp8).gathered == in(Precision::bf16).gathered);
}

TEST_CASE("what does not fit sharded names the fewest GPUs that do, or that none do", "[memory]") {
  Gpu gpu;
  gpu.name = "small";
  gpu.memory_bytes = 1200 * 16 / 8.0 + 2 * 1100;
  const auto fsdp = sharded(StrategyName::fsdp);
  CHECK(memory_complaint(two_blocks(), gpu, Precision::bf16, 0, fsdp, 8).empty());
  CHECK_THAT(memory_complaint(two_blocks(), gpu, Precision::bf16, 0, fsdp, 7), Catch::Contains("give 8 GPUs or more"));
  CHECK_THAT(memory_complaint(two_blocks(), gpu, Precision::bf16, 100, fsdp, 8),
             Catch::Contains("no number of GPUs is enough") && Catch::Contains("\"recompute\": \"full\""));
}

TEST_CASE("no published training run is refused", "[memory]") {
  const auto gpus = load_gpus(shipped);
  std::map<std::string, Model> models;
  for (const auto& name : list_models(shipped)) models.emplace(name, load_model(shipped, name));
  int looked_at = 0;
  for (const auto& cluster : list_clusters(shipped)) {
    for (const auto& step : records_of<StepRecord>(read_cluster_measurements(shipped.platforms(), cluster))) {
      const auto model = models.find(step.model);
      if (step.mode != RunMode::train || model == models.end() || step.head.gpu.empty()) continue;
      if (!step.optimizer) continue; // told by a few of the model's blocks
      INFO(step.head.series);
      CHECK(memory_complaint(model->second, find_gpu(gpus, step.head.gpu), step.precision, step.batch_per_gpu,
                             step.strategy, step.gpus)
                .empty());
      ++looked_at;
    }
  }
  CHECK(looked_at > 1000);
}

} // namespace ddlsim
