#include "sim/base/error.hpp"
#include "sim/compute/step_kernels.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <numeric>

namespace ddlsim {
namespace {

const DataFolder shipped{DDLSIM_SOURCE_DIR};

StepRates rates_of(const std::string& gpu, Precision precision) {
  const auto gpus = load_gpus(shipped);
  return step_rates(load_kernel_rates(shipped), gpus, find_gpu(gpus, gpu), precision);
}

KernelWork work_of_model(const std::string& model) {
  return kernel_work(load_model(shipped, model));
}

double sum(const PartShares& shares) {
  return std::accumulate(shares.begin(), shares.end(), 0.0);
}

double share(const StepKernels& step, StepPart part) {
  return step.shares[static_cast<std::size_t>(part)];
}

} // namespace

TEST_CASE("equal layers of a model are one entry of its work", "[kernels]") {
  const auto work = work_of_model("llama_3.1_405b_seq8192");
  CHECK(work.layers.size() < 30);
  CHECK(work.layer_count > 1800);
  double layers = 0;
  for (const auto& layer : work.layers) layers += layer.count;
  CHECK(layers == work.layer_count);
  CHECK(work.attends);
  CHECK(work.tokens == 8192);
}

TEST_CASE("a layer of experts is launched once, and each of its matrices sees its part of the tokens", "[kernels]") {
  // 100 tokens, each sent to two of four experts of width 8 to 16.
  Model model;
  model.sample = "sequence of 100 tokens";
  model.layers = {{"block0.experts.up", "linear", 2.0 * 200 * 8 * 16, 4.0 * 200 * 16, {}, 4}};
  model.layers[0].tensors = {{"w", {4, 16, 8}, 4.0 * 4 * 16 * 8}};
  const auto work = kernel_work(model);
  REQUIRE(work.layers.size() == 1);
  CHECK(work.layers[0].columns == 16);
  CHECK(work.layers[0].experts == 4);
  CHECK(work.layer_count == 1);
  auto split = model;
  split.layers.assign(4, {"", "linear", 2.0 * 50 * 8 * 16, 4.0 * 50 * 16, {{"w", {16, 8}, 4.0 * 16 * 8}}});
  auto rates = rates_of("H100-SXM5-80GB", Precision::bf16);
  rates.least_layer_s = 0;
  rates.wide.product.launch_s = 0;
  const auto product_s = [&](const Model& one) {
    const auto step = step_kernels(kernel_work(one), rates, 1e6, false); // the host hardly sets the pace
    return step.time_s * share(step, StepPart::product);
  };
  CHECK(product_s(model) == Approx(product_s(split)).epsilon(0.01)); // the host launches one layer, not four
}

TEST_CASE("the shares of the parts add up to one, and each is how much its part decides", "[kernels]") {
  const auto work = work_of_model("mpt_7b_seq2048");
  auto rates = rates_of("A100-SXM4-80GB", Precision::bf16);
  const auto step = step_kernels(work, rates, 4, true);
  CHECK(sum(step.shares) == Approx(1));
  CHECK(share(step, StepPart::product) > 0.6);
  CHECK(share(step, StepPart::convolution) == 0);
  constexpr double less = 0.999;
  rates.wide.attention.peak_share *= less;
  const auto slower = step_kernels(work, rates, 4, true);
  CHECK(std::log(slower.time_s / step.time_s) / -std::log(less) ==
        Approx(share(step, StepPart::attention)).epsilon(0.01));
}

TEST_CASE("no step is faster than the peak allows, and each longer batch takes longer", "[kernels]") {
  for (const char* model : {"resnet50_v1.5", "bert_large_seq128", "llama_3.1_8b_seq8192"}) {
    const auto loaded = load_model(shipped, model);
    const auto work = kernel_work(loaded);
    const auto rates = rates_of("H100-SXM5-80GB", Precision::bf16);
    double last_s = 0;
    for (const double batch : {1, 2, 8, 64, 512}) {
      const auto step = step_kernels(work, rates, batch, true);
      CHECK(step.time_s > last_s);
      // An attention that is causal does half of the work that the table counts.
      CHECK(step.time_s > 0.5 * 3 * batch * loaded.forward_flop_per_sample() / rates.convolution_flop_per_s);
      last_s = step.time_s;
    }
  }
}

TEST_CASE("a small batch is launched no faster than the host launches it", "[kernels]") {
  const auto work = work_of_model("bert_base_seq128");
  const auto rates = rates_of("H100-SXM5-80GB", Precision::bf16);
  const auto one = step_kernels(work, rates, 1, true);
  const auto two = step_kernels(work, rates, 2, true);
  CHECK(two.time_s < 1.1 * one.time_s);
  CHECK(share(one, StepPart::launch) > 0.8);
}

TEST_CASE("fp8 is faster than bf16 in its products alone", "[kernels]") {
  const auto work = work_of_model("llama_3.1_8b_seq8192");
  const auto wide = step_kernels(work, rates_of("H100-SXM5-80GB", Precision::bf16), 2, true);
  const auto narrow = step_kernels(work, rates_of("H100-SXM5-80GB", Precision::fp8), 2, true);
  CHECK(narrow.time_s < wide.time_s);
  CHECK(narrow.time_s > 0.5 * wide.time_s);
  CHECK(narrow.time_s * share(narrow, StepPart::attention) == Approx(wide.time_s * share(wide, StepPart::attention)));
}

TEST_CASE("Convolutions and products in fp32 use TF32 each by itself", "[kernels]") {
  const auto rates = [](Tf32Use tf32) {
    const auto gpus = load_gpus(shipped);
    return step_rates(load_kernel_rates(shipped), gpus, find_gpu(gpus, "H100-SXM5-80GB"), Precision::fp32, tf32);
  };
  const auto time_s = [](const char* model, const StepRates& of) {
    return step_kernels(work_of_model(model), of, 64, true).time_s;
  };
  const auto all = rates_of("H100-SXM5-80GB", Precision::tf32);
  CHECK(time_s("vgg16", rates({true, true})) == time_s("vgg16", all));
  CHECK(time_s("vgg16", rates({false, true})) > time_s("vgg16", all));
  CHECK(time_s("vgg16", rates({false, true})) < 0.7 * time_s("vgg16", rates({})));
  CHECK(time_s("bert_base_seq128", rates({false, true})) == time_s("bert_base_seq128", rates({})));
  CHECK(time_s("bert_base_seq128", rates({true, false})) == time_s("bert_base_seq128", all));
}

TEST_CASE("A convolution that may use TF32 is never slower", "[kernels]") {
  const auto work = work_of_model("vgg16");
  for (const char* gpu : {"RTX-3080", "RTX-3090", "RTX-A6000", "A40", "A100-SXM4-40GB"}) {
    auto alone = rates_of(gpu, Precision::fp32);
    auto both = alone;
    const auto tf32 = rates_of(gpu, Precision::tf32);
    both.convolution_flop_per_s = tf32.convolution_flop_per_s;
    both.tensor_cores = tf32.tensor_cores;
    both.fp32_flop_per_s = tf32.fp32_flop_per_s;
    CHECK(step_kernels(work, both, 64, true).time_s <= step_kernels(work, alone, 64, true).time_s);
  }
}

TEST_CASE("without an optimizer the step is shorter by the passes over the parameters", "[kernels]") {
  const auto work = work_of_model("vgg16");
  const auto rates = rates_of("V100-SXM2-16GB", Precision::fp32);
  const double with_s = step_kernels(work, rates, 32, true).time_s;
  const double without_s = step_kernels(work, rates, 32, false).time_s;
  CHECK(with_s - without_s == Approx(28 * work.parameters / (0.8 * 900e9)).epsilon(0.01));
}

TEST_CASE("a GPU without peak or memory rate has no step", "[kernels]") {
  Gpu gpu;
  gpu.name = "bare";
  const auto book = load_kernel_rates(shipped);
  CHECK_THROWS_AS(step_rates(book, load_gpus(shipped), gpu, Precision::fp32), UserError);
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e13}};
  CHECK_THROWS_WITH(step_rates(book, load_gpus(shipped), gpu, Precision::fp32), Catch::Contains("memory bandwidth"));
}

namespace {

/// 100 tokens, each sent to two of eight experts of width 64 to 128, whose outputs are summed.
Model small_mixture() {
  Model model;
  model.sample = "sequence of 100 tokens";
  model.layers = {{"block0.experts.up", "linear", 2.0 * 200 * 64 * 128, 4.0 * 200 * 128, {}, 8},
                  {"block0.combine", "elementwise", 2.0 * 2 * 100 * 64, 4.0 * 100 * 64, {}}};
  model.layers[0].tensors = {{"w", {8, 128, 64}, 4.0 * 8 * 128 * 64}};
  return model;
}

StepRates without_launches(const std::string& gpu, Precision precision) {
  auto rates = rates_of(gpu, precision);
  rates.least_layer_s = 0;
  for (auto* one : {&rates.wide, &rates.narrow}) one->product.launch_s = one->attention.launch_s = 0;
  return rates;
}

double part_s(const StepKernels& step, StepPart part) {
  return step.time_s * step.shares[static_cast<std::size_t>(part)];
}

} // namespace

TEST_CASE("a GPU with a part of the experts multiplies the tokens of all ranks for them, pass by pass", "[kernels]") {
  const auto rates = without_launches("H100-SXM5-80GB", Precision::bf16);
  const auto work = kernel_work(small_mixture());
  CHECK(work.mixes);
  CHECK(work.layers[1].chosen == 2);
  const double batch = 64'000'000; // so that the host hardly sets the pace
  const auto split = step_kernels(work, rates, batch, false, {16, 4});
  const double rows = batch / 16 * 200 / 2; // two of the eight experts
  const auto product_s = [&](const MatrixShape& shape) { return 2 * matrix_product_s(shape, rates.wide); };
  const double products_s = 16 * (product_s({rows, 128, 64}) + product_s({rows, 64, 128}) + product_s({128, 64, rows}));
  CHECK(part_s(split, StepPart::product) == Approx(products_s).epsilon(0.01));
  const double memory_Bps = rates.wide.peaks.memory_Bps * rates.wide.memory_share;
  const double combined = 2 * 2 * (2 + 1) * batch * 100 * 64 * 2; // there and back, twice: two copies and a sum
  const double summed = 16 * 8.0 * 2 * 128 * 64;
  CHECK(part_s(split, StepPart::memory) == Approx((combined + summed) / memory_Bps).epsilon(0.01));
  auto dense = small_mixture();
  dense.layers[0].experts = 0;
  CHECK(step_kernels(kernel_work(dense), rates, 64, false, {16, 4}).time_s ==
        step_kernels(kernel_work(dense), rates, 64, false).time_s);
}

TEST_CASE("a strategy divides the work of a model with experts only", "[kernels]") {
  Strategy strategy;
  strategy.name = StrategyName::model_parallel;
  strategy.parallel.expert = 4;
  strategy.parallel.pipeline = 2;
  strategy.parallel.micro_batches = 8;
  const auto split = split_of(small_mixture(), strategy);
  CHECK(split.passes == 4);
  CHECK(split.expert_ranks == 4);
  CHECK(split_of(load_model(shipped, "llama_3_70b_seq8192"), strategy) == WorkSplit{});
  CHECK(split_of(small_mixture(), {}) == WorkSplit{});
}

TEST_CASE("attention is timed by what the table states of it", "[kernels]") {
  const auto rates = without_launches("H100-SXM5-80GB", Precision::bf16);
  Model model;
  model.sample = "sequence of 4096 tokens";
  model.layers = {{"block0.attention.fused", "attention", 4.0 * 4096 * 4096 * 2048, 4.0 * 4096 * 2048, {}}};
  const auto attention_s = [&](const AttentionFacts& facts) {
    auto one = model;
    one.layers[0].attention = facts;
    return part_s(step_kernels(kernel_work(one), rates, 64, false), StepPart::attention);
  };
  const double usual_s = attention_s({});
  CHECK(attention_s({128}) == Approx(usual_s).epsilon(1e-3));
  CHECK(attention_s({64}) > 1.2 * usual_s);                              // narrow heads are slower
  CHECK(attention_s({128, 0, 0, 0, 0, false}) > 1.5 * usual_s);          // a square has twice the pairs of a triangle
  CHECK(attention_s({128, 0, 0, 128}) < 0.5 * usual_s);                  // a window
  CHECK(attention_s({128, 0, 0, 0, 1024}) < 0.5 * usual_s);              // four parts
  CHECK(attention_s({128, 256}) == Approx(1.5 * usual_s).epsilon(0.02)); // keys of twice the width
}

TEST_CASE("a scan is timed by its bytes, or its FLOP where they take longer", "[kernels]") {
  const auto rates = without_launches("H100-SXM5-80GB", Precision::bf16);
  Model model;
  model.sample = "sequence of 100 tokens";
  model.layers = {{"block0.mamba.scan", "scan", 1, 4.0 * 100 * 4096, {}}};
  const double batch = 1e5;
  const auto memory_part_s = [&] {
    return part_s(step_kernels(kernel_work(model), rates, batch, false), StepPart::memory);
  };
  const double memory_Bps = rates.wide.peaks.memory_Bps * rates.wide.memory_share;
  CHECK(memory_part_s() == Approx(30 * batch * 100 * 4096 * 2 / memory_Bps).epsilon(0.01));
  model.layers[0].forward_flop_per_sample = 1e12;
  const double flop_per_s = rates.wide.peaks.product_flop_per_s * rates.wide.product.peak_share / 1.6;
  CHECK(memory_part_s() == Approx(3 * batch * 1e12 / flop_per_s).epsilon(0.01));
}

TEST_CASE("4 bits are faster than 8 and 8 than 16, where the tensor cores have them", "[kernels]") {
  const auto work = work_of_model("llama_3_70b_seq8192");
  const auto time_s = [&](Precision precision) {
    return step_kernels(work, rates_of("GB300-279GB", precision), 2, false).time_s;
  };
  CHECK(time_s(Precision::nvfp4) < time_s(Precision::mxfp8));
  CHECK(time_s(Precision::mxfp8) < time_s(Precision::bf16));
  CHECK(time_s(Precision::mxfp8) == time_s(Precision::fp8));
  CHECK_THROWS_AS(rates_of("H100-SXM5-80GB", Precision::nvfp4), UserError);
  CHECK_THROWS_AS(rates_of("H100-SXM5-80GB", Precision::mxfp8), UserError);
  CHECK(step_kernels(work, rates_of("H100-SXM5-80GB", Precision::fp8_block), 2, false).time_s > 0);
}

} // namespace ddlsim
