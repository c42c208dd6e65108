// The time that a named optimizer adds.

#include "sim/compute/optimizer.hpp"
#include "sim/iteration/optimizer_update.hpp"
#include "sim/iteration/peak_memory.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// A block of a matrix of 1000 x 2000 and attention, so that AdamW is usual.
struct OneAttentiveBlock : SmallCluster {
  OneAttentiveBlock() {
    model.layers = {{"block0.attention.query_key_value", "linear", 1e9, 0, {{"w", {1000, 2000}, 4 * 2e6}}},
                    {"block0.attention.fused", "attention", 0, 0, {}}};
    model.parameters = 2e6;
    gpu.peak_flop_per_s = {{ArithmeticUnit::bf16_tensor, 1e13}, {ArithmeticUnit::fp32, 1e12}};
  }

  StepSetup with(Optimizer optimizer, StrategyName name, int gpus) const {
    auto made = setup(name, gpus);
    made.optimizer = optimizer;
    return made;
  }
};

} // namespace

TEST_CASE("an update of other bytes than AdamW's 44 adds their difference, divided where it is shared", "[optimizer]") {
  const OneAttentiveBlock one;
  const auto added = [&](Optimizer optimizer, StrategyName name) {
    return added_update(one.with(optimizer, name, 4), one.sample);
  };
  CHECK(added(Optimizer::adamw, StrategyName::ring).compute_s == 0);
  const double fused_s = (40 - 44) * 2e6 / (0.8 * 1e11);
  CHECK(added(Optimizer::adamw_fused, StrategyName::ring).compute_s == Approx(fused_s));
  CHECK(added(Optimizer::adamw_fused, StrategyName::fsdp).compute_s == Approx(fused_s / 4));
  CHECK(added(Optimizer::sgd, StrategyName::zero_1).compute_s == Approx((28 - 44) * 2e6 / 4 / (0.8 * 1e11)));
  CHECK(added(Optimizer::muon, StrategyName::ps).compute_s == 0);
  CHECK(added_update(one.setup(StrategyName::ring, 4), one.sample).compute_s == 0);
}

TEST_CASE("Muon multiplies whole matrices: at least one on each rank", "[optimizer]") {
  const OneAttentiveBlock one;
  const double products_s = muon_flop(1000, 2000) / (0.74 * 1e13);
  const double bytes_s = (36 - 44) * 2e6 / (0.8 * 1e11);
  const auto alone = added_update(one.with(Optimizer::muon, StrategyName::ring, 4), one.sample);
  CHECK(alone.compute_s == Approx(products_s + bytes_s));
  CHECK(alone.gather_s == 0);
  const auto shared = added_update(one.with(Optimizer::muon, StrategyName::fsdp, 4), one.sample);
  CHECK(shared.compute_s == Approx(products_s + bytes_s / 4));
  const auto setup = one.with(Optimizer::muon, StrategyName::fsdp, 4);
  CHECK(shared.gather_s == Approx(2 * lone_all_to_all_s(setup, one.sample, 2 * 2e6 / 4)));
  CHECK(added_update(one.with(Optimizer::muon, StrategyName::zero_1, 4), one.sample).gather_s > 0);
}

TEST_CASE("the time of an optimizer is in the iteration, and its moments in memory", "[optimizer]") {
  const OneAttentiveBlock one;
  const auto usual = one.setup(StrategyName::ring, 4);
  const auto muon = one.with(Optimizer::muon, StrategyName::ring, 4);
  const auto added = added_update(muon, one.sample);
  CHECK(time_step(muon, one.sample, Fidelity::formula).iteration_s ==
        Approx(time_step(usual, one.sample, Fidelity::formula).iteration_s + added.compute_s));
  CHECK(peak_memory(usual).optimizer == 8 * 2e6);
  CHECK(peak_memory(muon).optimizer == 4 * 2e6);
  CHECK(peak_memory(one.with(Optimizer::adamw_8bit, StrategyName::fsdp, 4)).optimizer ==
        Approx(2 * (1 + 4 / 256.0) * 2e6 / 4));
}

TEST_CASE("frozen weights are in memory once, in the type of compute, and are not synchronised", "[optimizer]") {
  OneAttentiveBlock one;
  auto& layer = one.model.layers.front();
  layer.frozen = layer.tensors;
  layer.tensors = {{"adapter", {2, 3000}, 4 * 6000.0}};
  one.model.parameters = 6000;
  one.model.frozen_parameters = 2e6;
  auto setup = one.setup(StrategyName::fsdp, 4);
  setup.precision = Precision::bf16;
  const auto parts = peak_memory(setup);
  CHECK(parts.weights == Approx((4 * 6000 + 2 * 2e6) / 4));
  CHECK(parts.gradients == Approx(4 * 6000 / 4.0));
  CHECK(parts.optimizer == Approx(8 * 6000 / 4.0));
  const auto run = run_step(setup, one.sample, Fidelity::formula);
  double scattered = 0;
  double gathered = 0;
  for (const auto& operation : run.graph.operations) {
    if (operation.kind == OperationKind::reduce_scatter) scattered += operation.size_bytes;
    if (operation.kind == OperationKind::all_gather) gathered += operation.size_bytes;
  }
  CHECK(scattered == 4 * 6000);
  CHECK(gathered == 2 * 2 * 2'006'000.0);
}

} // namespace ddlsim
