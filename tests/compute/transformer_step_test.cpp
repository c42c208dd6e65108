#include "sim/compute/kernels/element_passes.hpp"
#include "sim/compute/kernels/matrix_product.hpp"
#include "sim/compute/kernels/transformer_step.hpp"
#include "tests/compute/planted_rates.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

using ddlsim_test::planted_rates;

/// 4 blocks of a small Llama.
TransformerSizes small_llama() {
  TransformerSizes shape;
  shape.layers = 4;
  shape.hidden = 1024;
  shape.heads = 8;
  shape.kv_heads = 2;
  shape.head_size = 128;
  shape.ffn = 4096;
  shape.gated = true;
  shape.vocabulary = 32000;
  shape.sequence = 2048;
  return shape;
}

StackCosts plain_costs() {
  auto stack = costs_of(TrainingStack::megatron);
  stack.host_layer_s = 0;
  return stack;
}

double sum_of(const StepShares& shares) {
  return shares.products + shares.attention + shares.memory + shares.traffic + shares.host + shares.head +
         shares.optimizer;
}

double busy_s(const StepParts& parts) {
  return parts.products_s + parts.attention_s + parts.memory_s + parts.traffic_s + parts.head_s + parts.optimizer_s;
}

/// Moves every rate and time of one part by that factor.
struct Part {
  const char* name;
  double StepShares::*share;
  std::function<void(StackCosts&, LayerTraffic&, double)> stretch;
};

} // namespace

TEST_CASE("a step is its products, attention, passes, head and update", "[kernels]") {
  const auto rates = planted_rates(); // launches of 5 and 4 us, under the 6 of a queue
  const auto shape = small_llama();
  const auto stack = plain_costs();
  StepLayout layout;
  layout.micro_batch = 2;
  layout.micro_batches = 3;
  const double n = 2 * 2048;
  double products_s = 0;
  for (const auto& [width, depth] :
       std::vector<std::pair<double, double>>{{1024 + 2 * 256, 1024}, {1024, 1024}, {8192, 1024}, {1024, 4096}})
    products_s += matrix_product_s({n, width, depth}, rates) + matrix_product_s({n, depth, width}, rates) +
                  matrix_product_s({width, depth, n}, rates);
  const auto step = transformer_step(shape, layout, stack, rates);
  CHECK(step.parts.products_s == Approx(3 * 4 * products_s));
  const AttentionShape attention{2, 2048, 8, 2, 128};
  CHECK(step.parts.attention_s == Approx(3 * 4 *
                                         (attention_forward_s(attention, stack.attention, rates) +
                                          attention_backward_s(attention, stack.attention, rates))));
  const double pass_bytes = n * (24 * 1024 + 4 * 256 + 6 * 4096 + 24 * 1024 + 4 * 256 + 10 * 4096);
  const double weights = 1024 * (1024 + 2 * 256) + 1024 * 1024 + 3 * 1024 * 4096;
  CHECK(layer_parameters(shape) == weights);
  CHECK(step.parts.memory_s == Approx(3 * 4 * ((pass_bytes + 8 * weights) / 0.8e12 + 30 * 4e-6)));
  CHECK(step.parts.head_s ==
        Approx(3 * (matrix_product_s({n, 32000, 1024}, rates) + matrix_product_s({n, 1024, 32000}, rates) +
                    matrix_product_s({32000, 1024, n}, rates) + n * (40 * 32000 + 24 * 1024) / 0.8e12)));
  CHECK(step.parts.optimizer_s == Approx(44 * (4 * weights + 2 * 32000 * 1024) / 0.8e12));
  CHECK(step.parts.host_s == 0);
  CHECK(step.total_s == Approx(busy_s(step.parts)));
}

TEST_CASE("shares of the parts add up to one, whatever decides", "[kernels]") {
  auto stack = costs_of(TrainingStack::pytorch);
  for (const double host_s : {0.0, 1e-4, 1e-3, 1.0})
    for (const double sharding_s : {0.0, 1e-3, 1.0}) {
      stack.host_layer_s = host_s;
      const auto step = transformer_step(small_llama(), {}, stack, planted_rates(), {1e-4, 2e-4, sharding_s});
      CHECK(sum_of(step.shares) == Approx(1));
      CHECK(step.total_s <= busy_s(step.parts) + step.parts.host_s + 1e-12);
      CHECK(step.total_s >= 4 * std::max(host_s, sharding_s));
    }
}

TEST_CASE("a share is how much the step grows with the part", "[kernels]") {
  constexpr double little = 1e-5;
  StackCosts stack = plain_costs();
  stack.host_layer_s = 4e-3; // about as long as the GPU
  const LayerTraffic traffic{3e-4, 5e-4, 1e-3};
  const auto shape = small_llama();
  const auto rates = planted_rates();
  const auto usual = transformer_step(shape, {}, stack, rates, traffic);
  const std::vector<Part> parts{
      {"host", &StepShares::host, [](StackCosts& costs, LayerTraffic&, double by) { costs.host_layer_s *= by; }},
      {"optimizer", &StepShares::optimizer,
       [](StackCosts& costs, LayerTraffic&, double by) { costs.update_bytes *= by; }},
      {"traffic", &StepShares::traffic, [](StackCosts&, LayerTraffic& moved, double by) {
         moved.forward_s *= by;
         moved.backward_s *= by;
       }}};
  for (const auto& part : parts) {
    CAPTURE(part.name);
    auto costs = stack;
    auto moved = traffic;
    part.stretch(costs, moved, 1 + little);
    const auto longer = transformer_step(shape, {}, costs, rates, moved);
    CHECK((longer.total_s / usual.total_s - 1) / little == Approx(usual.shares.*part.share).epsilon(1e-3));
  }
}

TEST_CASE("recomputation adds what forward does again", "[kernels]") {
  auto stack = plain_costs();
  const auto time_with = [&](Recompute recompute) {
    stack.recompute = recompute;
    return transformer_step(small_llama(), {}, stack, planted_rates(), {1e-3, 1e-3, 0});
  };
  const auto none = time_with(Recompute::none);
  const auto selective = time_with(Recompute::selective);
  const auto full = time_with(Recompute::full);
  const AttentionShape attention{1, 2048, 8, 2, 128};
  const double again_s = 4 * attention_forward_s(attention, stack.attention, planted_rates());
  CHECK(selective.total_s == Approx(none.total_s + again_s));
  CHECK(full.parts.attention_s == Approx(none.parts.attention_s + again_s));
  CHECK(full.parts.traffic_s == Approx(1.5 * none.parts.traffic_s));
  CHECK(full.parts.products_s > 1.3 * none.parts.products_s);
  CHECK(time_with(Recompute::alternate_matmuls).total_s < full.total_s);
}

TEST_CASE("a tensor group divides products, and with sequence parallelism the norms", "[kernels]") {
  StepLayout layout;
  layout.tensor = 2;
  const auto alone = transformer_step(small_llama(), {}, plain_costs(), planted_rates());
  const auto halved = transformer_step(small_llama(), layout, plain_costs(), planted_rates());
  layout.sequence_parallel = true;
  const auto also_norms = transformer_step(small_llama(), layout, plain_costs(), planted_rates());
  CHECK(halved.parts.products_s < 0.7 * alone.parts.products_s);
  CHECK(halved.parts.products_s > alone.parts.products_s / 2);
  CHECK(halved.parts.optimizer_s == Approx(alone.parts.optimizer_s / 2));
  CHECK(also_norms.parts.memory_s < halved.parts.memory_s);
  CHECK(also_norms.parts.products_s == halved.parts.products_s);
}

TEST_CASE("a pipeline waits for its first micro-batch at each stage", "[kernels]") {
  StepLayout layout;
  layout.micro_batches = 8;
  const auto layers_s = [&] {
    const auto step = transformer_step(small_llama(), layout, plain_costs(), planted_rates());
    return step.total_s - step.parts.head_s - step.parts.optimizer_s;
  };
  const double alone_s = layers_s();
  layout.pipeline = 4;
  CHECK(layers_s() == Approx(alone_s / 4 * (8 + 3) / 8.0));
  layout.virtual_stages = 3;
  CHECK(layers_s() == Approx(alone_s / 4 * (8 + 1) / 8.0));
}

TEST_CASE("layers with a window are timed by themselves", "[kernels]") {
  auto shape = small_llama();
  const auto all_s = [&] { return transformer_step(shape, {}, plain_costs(), planted_rates()).parts.attention_s; };
  const double none = all_s();
  shape.window = 256;
  CHECK(all_s() == none);
  shape.windowed_layers = 4;
  const double each = all_s();
  CHECK(each < none);
  shape.windowed_layers = 1;
  CHECK(all_s() == Approx(0.75 * none + 0.25 * each));
}

TEST_CASE("a host that is slower than the GPU decides alone", "[kernels]") {
  auto stack = plain_costs();
  stack.host_layer_s = 10;
  const auto step = transformer_step(small_llama(), {}, stack, planted_rates());
  CHECK(step.total_s == Approx(40).epsilon(1e-3));
  CHECK(step.shares.host == Approx(1).epsilon(1e-3));
}

TEST_CASE("exposed sharding is what compute does not hide", "[kernels]") {
  const auto free_of_it = transformer_step(small_llama(), {}, plain_costs(), planted_rates());
  const auto hidden = transformer_step(small_llama(), {}, plain_costs(), planted_rates(), {0, 0, 1e-6});
  const auto exposed = transformer_step(small_llama(), {}, plain_costs(), planted_rates(), {0, 0, 5});
  CHECK(hidden.total_s == free_of_it.total_s);
  CHECK(exposed.total_s == Approx(4 * 5 + free_of_it.parts.head_s + free_of_it.parts.optimizer_s));
  CHECK(exposed.shares.products == 0);
}

TEST_CASE("kernels of their own move more than fused ones", "[kernels]") {
  for (const bool gated : {false, true}) {
    const auto fused = block_passes(gated, ElementPasses::fused);
    const auto eager = block_passes(gated, ElementPasses::eager);
    CHECK(eager.forward.hidden > fused.forward.hidden);
    CHECK(eager.backward.ffn > fused.backward.ffn);
  }
  CHECK(block_passes(true, ElementPasses::eager).forward.hidden +
            block_passes(true, ElementPasses::eager).forward.queries ==
        24 + 38);
  CHECK(costs_of(TrainingStack::pytorch, true).passes == ElementPasses::fused);
  CHECK(costs_of(TrainingStack::pytorch).passes == ElementPasses::eager);
}

} // namespace ddlsim
