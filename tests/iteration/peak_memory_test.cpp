// The parts of the counted peak: state by strategy, activations in flight, what is gathered.

#include "sim/iteration/peak_memory.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// A root of 1,000 parameters and two blocks of 100, and of 100 outputs a sample: each a matrix and attention in one
/// kernel.
struct TwoKeepingBlocks : SmallCluster {
  TwoKeepingBlocks() {
    model.name = "two-blocks";
    model.layers = {{"words", "embedding", 0, 4 * 10.0, {{"words.weight", {}, 4 * 1000.0}}},
                    {"block0.attention.query_key_value", "linear", 1e9, 4 * 40.0, {{"block0.weight", {}, 4 * 100.0}}},
                    {"block0.attention.fused", "attention", 0, 4 * 60.0, {}},
                    {"block1.attention.query_key_value", "linear", 1e9, 4 * 40.0, {{"block1.weight", {}, 4 * 100.0}}},
                    {"block1.attention.fused", "attention", 0, 4 * 60.0, {}}};
    model.parameters = 1200;
  }

  StepSetup on(StrategyName name, Precision precision, int gpus) const {
    auto made = setup(name, gpus);
    made.precision = precision;
    made.batch_per_gpu = 1;
    return made;
  }
};

double state_of(const StepSetup& setup) {
  const auto parts = peak_memory(setup);
  return parts.weights + parts.gradients + parts.optimizer;
}

} // namespace

TEST_CASE("sharded state: 16 bytes a parameter, of which each strategy divides its own", "[memory]") {
  const TwoKeepingBlocks two;
  for (const auto name : {StrategyName::zero_1, StrategyName::zero_2, StrategyName::fsdp})
    for (const auto precision : {Precision::fp32, Precision::bf16})
      CHECK(state_of(two.on(name, precision, 1)) == 16 * 1200);
  CHECK(state_of(two.on(StrategyName::zero_1, Precision::bf16, 4)) == 1200 * (2 + 2 + 12 / 4.0));
  CHECK(state_of(two.on(StrategyName::zero_2, Precision::bf16, 4)) == 1200 * (2 + 2 / 4.0 + 12 / 4.0));
  CHECK(state_of(two.on(StrategyName::fsdp, Precision::bf16, 4)) == 1200 * 16 / 4.0);
}

TEST_CASE("fsdp has the root and two units whole, and one unit's gradient in two types", "[memory]") {
  const TwoKeepingBlocks two;
  auto asked = two.on(StrategyName::fsdp, Precision::bf16, 4);
  const auto gathered = [&] { return peak_memory(asked).gathered; };
  CHECK(gathered() == 2 * (1000 + 2 * 100) + (2 + 4) * 100);
  asked.wire_bytes_per_parameter = 2;
  CHECK(gathered() == 2 * (1000 + 2 * 100) + (2 + 2) * 100);
  asked.strategy.sharded.gathers_in_flight = 1;
  CHECK(gathered() == 2 * (1000 + 100) + (2 + 2) * 100);
  asked.strategy.sharded.reshard_after_forward = false;
  CHECK(gathered() == 2 * 1200 + (2 + 2) * 100);
  asked.gpus = 1;
  CHECK(gathered() == 0);
}

TEST_CASE("plain data parallelism: fp32 copies, Adam for attention, 16-bit copies under autocast", "[memory]") {
  TwoKeepingBlocks two;
  CHECK(state_of(two.on(StrategyName::automatic, Precision::fp32, 2)) == (4 + 4 + 8) * 1200);
  CHECK(state_of(two.on(StrategyName::automatic, Precision::amp, 2)) == (6 + 4 + 8) * 1200);
  CHECK(state_of(two.on(StrategyName::ps, Precision::fp32, 2)) == (4 + 4) * 1200); // servers have the moments
  for (auto& layer : two.model.layers) layer.kind = "linear";
  CHECK(state_of(two.on(StrategyName::automatic, Precision::fp32, 2)) == (4 + 4 + 4) * 1200); // one momentum
  CHECK(peak_memory(two.on(StrategyName::automatic, Precision::fp32, 1)).gathered == 0);
}

TEST_CASE("a pipeline's gradients have the type in which they are summed", "[memory]") {
  const TwoKeepingBlocks two;
  auto asked = two.on(StrategyName::model_parallel, Precision::bf16, 2);
  asked.strategy.parallel.pipeline = 2;
  asked.strategy.parallel.micro_batches = 2;
  const double first = 1000 + 100; // the embedding and a block
  CHECK(state_of(asked) == (2 + 4 + 12) * first);
  asked.wire_bytes_per_parameter = 2;
  CHECK(state_of(asked) == (2 + 2 + 12) * first);
  asked.strategy.parallel.data_parallel = DataParallel::zero_1;
  asked.gpus = 8;
  CHECK(state_of(asked) == (2 + 2 + 12 / 4.0) * first);
}

TEST_CASE("activations are those of a micro-batch", "[memory]") {
  const TwoKeepingBlocks two;
  auto asked = two.on(StrategyName::fsdp, Precision::fp32, 4);
  asked.batch_per_gpu = 8;
  const auto activations = [&] { return peak_memory(asked).activations; };
  const double kept = 4 * (10 + 40 + 60 + 40 + 60); // what each layer reads, and what the kernel put out
  CHECK(activations() == kept * 8);
  asked.strategy.sharded.micro_batches = 4;
  CHECK(activations() == kept * 2);
  asked.strategy.sharded.recompute = Recompute::full; // inputs of the blocks: 10 and 60
  const auto full = peak_memory(asked);
  CHECK(full.activations == 4 * (10 + 60) * 2);
  CHECK(full.working >= 4 * (40 + 60) * 2); // a block that is computed again
  asked.precision = Precision::bf16;
  CHECK(activations() == 2 * (10 + 60) * 2);
  CHECK(peak_memory(asked).reserve == library_bytes + allocator_bytes);
}

} // namespace ddlsim
