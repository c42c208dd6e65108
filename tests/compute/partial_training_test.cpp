// Adapters, frozen parts and packed documents: parameters, passes, time and memory in closed form.

#include "sim/base/error.hpp"
#include "sim/compute/layer_memory.hpp"
#include "sim/compute/layer_times.hpp"
#include "sim/compute/partial_training.hpp"
#include "sim/compute/step_kernels.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

Model llama_7b() {
  return load_model(DataFolder{DDLSIM_SOURCE_DIR}, "llama_2_7b_seq4096");
}

const Layer& layer_named(const Model& model, const std::string& name) {
  for (const auto& layer : model.layers)
    if (layer.name == name) return layer;
  throw std::runtime_error("no layer " + name);
}

Gpu gpu_of_adapters() {
  Gpu gpu;
  gpu.name = "test";
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
  gpu.memory_bandwidth_Bps = 1e12;
  return gpu;
}

std::vector<Mistake> mistakes_of_training(const TrainedPart& part, double document_tokens = 0) {
  try {
    partly_trained(llama_7b(), part, document_tokens, "question");
  } catch (const UserError& error) {
    return error.mistakes();
  }
  return {};
}

} // namespace

TEST_CASE("an adapter of rank r has r (in + out) parameters, and a word of one matrix has one for all", "[training]") {
  const auto whole = llama_7b();
  const auto alone = partly_trained(whole, {16, {"q_proj", "v_proj"}}, 0);
  CHECK(alone.parameters == 32 * 2 * 16 * (4096.0 + 4096));
  CHECK(alone.frozen_parameters == whole.parameters);
  const auto together = partly_trained(whole, {16, {"linear_qkv"}}, 0);
  CHECK(together.parameters == 32 * 16 * (4096.0 + 3 * 4096));
  CHECK(layer_named(together, "block0.attention.query.lora_up").tensors.front().shape == std::vector<long>{12288, 16});
  const auto all = partly_trained(whole, {8, {}}, 0);
  CHECK(all.parameters == 32 * 8 * (4 * (4096.0 + 4096) + 3 * (4096.0 + 11008)));
}

TEST_CASE("an adapter has its FLOP, stays in 16 bits, and reads what its product reads", "[training]") {
  const auto model = partly_trained(llama_7b(), {16, {"o_proj"}}, 0);
  const auto& down = layer_named(model, "block3.attention.output.lora_down");
  CHECK(down.forward_flop_per_sample == 2.0 * 4096 * 16 * 4096);
  CHECK(down.activation_bytes_per_sample == 4.0 * 4096 * 16);
  const auto narrow = layers_in_8_bits(model);
  for (std::size_t l = 0; l < model.layers.size(); ++l)
    if (is_adapter(model.layers[l])) CHECK_FALSE(narrow[l]);
  CHECK(layer_named(model, "block3.attention.output").backward == LayerBackward::input_only);
  CHECK(layer_named(model, "block0.attention.query").backward == LayerBackward::none);
}

TEST_CASE("a frozen product has no gradient of weights, and before the first trained layer nothing has one",
          "[training]") {
  Model model;
  model.name = "two";
  model.sample = "sequence of 512 tokens";
  const double flop = 2.0 * 512 * 1024 * 1024;
  for (const char* name : {"block0.up", "block1.up", "block2.up"})
    model.layers.push_back(
        {name, "linear", flop, 4.0 * 512 * 1024, {{std::string(name) + ".weight", {1024, 1024}, 4.0 * 1024 * 1024}}});
  model.parameters = 3 * 1024.0 * 1024;
  const auto gpu = gpu_of_adapters();
  const auto rates = step_rates({}, {}, gpu, Precision::fp32);
  const auto product_s = [&](const Model& one) {
    const auto step = step_kernels(kernel_work(one), rates, 4, false);
    return step.shares[static_cast<std::size_t>(StepPart::product)] * step.time_s;
  };
  // all three products of a square layer are of one shape: 9 passes, then 3 + 3 + 1 or 3 + 2 + 3
  const auto first = partly_trained(model, {0, {}, {"block0"}}, 0);
  const auto middle = partly_trained(model, {0, {}, {"block1"}}, 0);
  CHECK(kernel_work(model).passes == 9);
  CHECK(kernel_work(first).passes == 7);
  CHECK(kernel_work(middle).passes == 8);
  CHECK(first.training_flop_per_sample() == 7 * flop);
  CHECK(product_s(first) < product_s(middle));
  CHECK(product_s(middle) < product_s(model));
  CHECK(first.parameters == 2 * 1024.0 * 1024);
  CHECK(backward_shape(first, gpu, Precision::fp32, 1, 4).tensors.size() == 2);
}

TEST_CASE("a frozen product keeps nothing for backward", "[training]") {
  const auto whole = llama_7b();
  const auto kept = [](const Model& model) {
    const auto layers = layer_memory(model, {Precision::bf16});
    return kept_of_layers(layers, 0, layers.size()).kept;
  };
  const auto adapted = partly_trained(whole, {16, {"linear_qkv"}}, 0);
  CHECK(kept(adapted) < kept(whole));
  // the last block alone keeps about one of 32 blocks
  TrainedPart last;
  for (int block = 0; block < 31; ++block) last.freeze.push_back("block" + std::to_string(block));
  last.freeze.emplace_back("embeddings");
  CHECK(kept(partly_trained(whole, last, 0)) < 0.1 * kept(whole));
}

TEST_CASE("packed documents leave their share of attention's FLOP", "[training]") {
  const auto whole = llama_7b();
  const auto packed = partly_trained(whole, {}, 1024);
  CHECK(packed.training == "documents of 1024 tokens");
  for (std::size_t l = 0; l < whole.layers.size(); ++l)
    CHECK(packed.layers[l].forward_flop_per_sample ==
          whole.layers[l].forward_flop_per_sample * (whole.layers[l].kind == "attention" ? 0.25 : 1));
  CHECK(packed.parameters == whole.parameters);
}

TEST_CASE("words that mean no layer are named together", "[training]") {
  CHECK(mistakes_of_training({16, {"q_proj", "query"}}).empty());
  const auto mistakes = mistakes_of_training({0, {}, {"blok", "blok7"}}, 5000);
  REQUIRE(mistakes.size() == 2);
  CHECK(mistakes[0].path == "/document_tokens");
  CHECK(mistakes[1].path == "/train/freeze");
  CHECK(
      mistakes[1].what ==
      "no part of llama_2_7b_seq4096 is meant by blok, blok7; leave it out, or give a word for layers that are there");
  const auto nothing = mistakes_of_training({0, {}, {"block", "words", "embeddings", "final_norm"}});
  REQUIRE(nothing.size() == 1);
  CHECK(nothing.front().what == "nothing of llama_2_7b_seq4096 is left to train; name fewer parts");
}

} // namespace ddlsim
