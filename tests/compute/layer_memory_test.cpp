// What layers keep for backward, against closed forms of papers and of frameworks.

#include "sim/compute/layer_memory.hpp"
#include "sim/compute/unit_shape.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

#include <string>

namespace ddlsim {
namespace {

const DataFolder shipped_tables{DDLSIM_SOURCE_DIR};

/// Bytes of a token that one block of the middle keeps.
double kept_of_block(const Model& model, const KeptFacts& facts) {
  const auto layers = layer_memory(model, facts);
  double kept = 0;
  for (std::size_t l = 0; l < layers.size(); ++l)
    if (unit_name_of(model.layers[l].name) == "block2") kept += layers[l].kept;
  return kept / model.tokens_per_sample();
}

KeptFacts in_half(Recompute recompute, bool fused_activation = false) {
  return {Precision::bf16, recompute, CrossEntropy::eager, fused_activation, 1};
}

} // namespace

TEST_CASE("plain attention with dropout: 34 h + 5 a s bytes a token and layer, and what recomputation leaves",
          "[layer-memory]") {
  // Korthikanti et al., arXiv:2205.05198, equations 2, 6 and section 5.
  const auto model = load_model(shipped_tables, "bert_large_seq512");
  constexpr double h = 1024;
  constexpr double a = 16;
  constexpr double s = 512;
  CHECK(kept_of_block(model, in_half(Recompute::none)) == Approx(34 * h + 5 * a * s));
  CHECK(kept_of_block(model, in_half(Recompute::selective)) == Approx(34 * h));
  CHECK(kept_of_block(model, in_half(Recompute::full)) == Approx(2 * h));
}

TEST_CASE("fused attention and a gated block: 8 h + 4 q + 4 c + 8 f, and 6 f where the activation is fused",
          "[layer-memory]") {
  const auto model = load_model(shipped_tables, "llama_3.1_8b_seq8192");
  constexpr double h = 4096; // also all queries
  constexpr double c = 1024;
  constexpr double f = 14336;
  CHECK(kept_of_block(model, in_half(Recompute::none)) == Approx(12 * h + 4 * c + 8 * f));
  CHECK(kept_of_block(model, in_half(Recompute::none, true)) == Approx(12 * h + 4 * c + 6 * f));
  CHECK(kept_of_block(model, in_half(Recompute::selective)) == kept_of_block(model, in_half(Recompute::none)));
  CHECK(kept_of_block(model, in_half(Recompute::alternate_matmuls)) == Approx(8 * h + 2 * c + 2 * f));
  CHECK(kept_of_block(model, in_half(Recompute::full)) == Approx(2 * h));
  const auto single = KeptFacts{Precision::fp32, Recompute::none, CrossEntropy::eager, false, 1};
  CHECK(kept_of_block(model, single) == Approx(2 * (12 * h + 4 * c + 8 * f)));
}

TEST_CASE("fused attention and GELU without dropout: 16 h + 16 h", "[layer-memory]") {
  const auto model = load_model(shipped_tables, "mpt_125m_seq2048");
  CHECK(kept_of_block(model, in_half(Recompute::none)) == Approx((8 + 8 + 16) * 768));
  CHECK(kept_of_block(model, in_half(Recompute::alternate_matmuls)) == Approx((2 + 8 + 8) * 768)); // f = 4 h
}

TEST_CASE("at the loss a logit has 14 bytes, or fewer by a better kernel", "[layer-memory]") {
  const auto model = load_model(shipped_tables, "llama_3.1_8b_seq8192");
  const auto bytes = [&](CrossEntropy kind, Precision precision = Precision::bf16) {
    const auto layers = layer_memory(model, {precision, Recompute::none, kind, false, 1});
    double loss = 0;
    for (const auto& layer : layers) loss += layer.loss;
    return loss / (8192.0 * 128256);
  };
  CHECK(bytes(CrossEntropy::eager) == Approx(14));
  CHECK(bytes(CrossEntropy::parallel) == Approx(10));
  CHECK(bytes(CrossEntropy::fused) == Approx(6));
  CHECK(bytes(CrossEntropy::compiled) == Approx(4));
  CHECK(bytes(CrossEntropy::in_place) == Approx(2));
  CHECK(bytes(CrossEntropy::eager, Precision::fp32) == Approx(12));
}

TEST_CASE("a filter keeps its input, a norm its input, an activation in place its output", "[layer-memory]") {
  Model model;
  model.layers = {{"conv1", "conv", 0, 400, {}},       {"bn1", "norm", 0, 400, {}},
                  {"relu1", "activation", 0, 400, {}}, {"maxpool", "pool", 0, 100, {}},
                  {"conv2", "conv", 0, 80, {}},        {"bn2", "norm", 0, 80, {}},
                  {"relu2", "activation", 0, 80, {}},  {"words.log_softmax", "loss", 0, 8, {}}};
  const auto layers = layer_memory(model, {});
  CHECK(layers[0].kept == 0); // the input of the model is no layer's output
  CHECK(layers[1].kept == 400);
  CHECK(layers[2].kept == 400);
  CHECK(layers[3].kept == 8 * 100 / 4.0); // where the maximum was; its input is there already
  CHECK(layers[4].kept == 100);
  const auto all = kept_of_layers(layers, 0, layers.size());
  CHECK(all.kept == 400 + 400 + 200 + 100 + 80); // relu2's output are the logits, which count at the loss
  // Where backward is at the first norm, the layers behind it are done: 400 kept, and two gradients.
  CHECK(all.peak.kept + all.peak.working + all.peak.loss == 400 + 400 + 400 + 400);
}

TEST_CASE("a branch around a block reads the block's input, which is kept once", "[layer-memory]") {
  Model model;
  model.layers = {{"stem", "conv", 0, 40, {}},
                  {"layer1.0.conv1", "conv3x3", 0, 40, {}},
                  {"layer1.0.bn1", "norm", 0, 40, {}},
                  {"layer1.0.downsample.0", "conv1x1", 0, 40, {}},
                  {"layer1.0.downsample.1", "norm", 0, 40, {}},
                  {"layer1.0.add", "elementwise", 0, 40, {}},
                  {"layer1.0.relu", "activation", 0, 40, {}}};
  const auto layers = layer_memory(model, {});
  const auto all = kept_of_layers(layers, 0, layers.size());
  CHECK(all.kept == 40 * 4); // the stem, both filters, and the activation
}

TEST_CASE("experts keep the tokens that are sorted to them, as many as the busiest has", "[layer-memory]") {
  Model model;
  const double tokens = 4 * 100; // fp32, 10 tokens of width 10
  model.layers = {{"block0.norm2", "norm", 0, tokens, {}},
                  {"block0.router", "linear", 0, 4 * 10 * 2, {}},
                  {"block0.router_softmax", "activation", 0, 4 * 10 * 2, {}}};
  for (const char* expert : {"block0.expert0", "block0.expert1"}) {
    const std::string name = expert;
    model.layers.push_back({name + ".gate", "linear", 0, 2 * tokens, {}});
    model.layers.push_back({name + ".up", "linear", 0, 2 * tokens, {}});
    model.layers.push_back({name + ".silu", "activation", 0, 2 * tokens, {}});
    model.layers.push_back({name + ".multiply", "elementwise", 0, 2 * tokens, {}});
    model.layers.push_back({name + ".output", "linear", 0, tokens, {}});
  }
  model.layers.push_back({"block0.combine", "elementwise", 0, tokens, {}});
  KeptFacts facts;
  const auto kept = [&] {
    const auto layers = layer_memory(model, facts);
    return kept_of_layers(layers, 0, layers.size()).kept;
  };
  const double router = tokens + 24 * 10 * 2;  // its input; and 24 bytes a token and expert
  const double experts = 2 * tokens * (1 + 8); // k (2 h + 8 f) of two experts, f = 2 h, in fp32
  CHECK(kept() == router + experts);
  facts.fused_activation = true;
  CHECK(kept() == router + 2 * tokens * (1 + 6));
  facts.expert_imbalance = 2;
  CHECK(kept() == router + 2 * 2 * tokens * (1 + 6));
  // One layer for both experts keeps the same.
  auto& layers = model.layers;
  layers.erase(layers.begin() + 8, layers.begin() + 13);
  for (std::size_t l = 3; l < 8; ++l) {
    layers[l].experts = 2;
    layers[l].activation_bytes_per_sample *= 2;
    layers[l].name.replace(std::string("block0.expert").size(), 1, "s");
  }
  CHECK(kept() == router + 2 * 2 * tokens * (1 + 6));
}

} // namespace ddlsim
