#include "sim/compute/piece_shape.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>

namespace ddlsim {
namespace {

Gpu plain_gpu() {
  Gpu gpu;
  gpu.name = "test";
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 1e12}};
  gpu.memory_bandwidth_Bps = 1e15; // FLOP decide
  return gpu;
}

/// Linear layers of that many units of work, 10 parameters and outputs of 1, 2, 3, ... bytes.
Model layers_of(const std::vector<std::pair<std::string, double>>& work) {
  Model model;
  model.name = "test";
  for (const auto& [name, units] : work)
    model.layers.push_back(
        {name, "linear", units * 1e9, static_cast<double>(model.layers.size() + 1), {{"w", {10}, 40}}});
  return model;
}

std::vector<PieceShape> cut(const Model& model, int pieces) {
  return piece_shapes(model, plain_gpu(), Precision::fp32, 1, pieces);
}

} // namespace

TEST_CASE("a layer's block is the first word of its name and the numbers behind it", "[pieces]") {
  CHECK(block_name_of("block12.attention.query") == "block12");
  CHECK(block_name_of("layer1.0.conv1") == "layer1.0");
  CHECK(block_name_of("layer1.0.downsample.0") == "layer1.0");
  CHECK(block_name_of("features.3") == "features.3");
  CHECK(block_name_of("fc") == "fc");
  CHECK(block_name_of("").empty());
  CHECK(block_name_of("words.decoder") == "words");
}

TEST_CASE("pieces are whole blocks, and the slowest is as fast as can be", "[pieces]") {
  const auto model =
      layers_of({{"stem", 1}, {"block0.a", 2}, {"block0.b", 2}, {"block1.a", 4}, {"block2.a", 3}, {"fc", 2}});
  CHECK(blocks_of(model) == 5);
  const auto pieces = cut(model, 3); // 1+4, 4, 3+2
  REQUIRE(pieces.size() == 3);
  CHECK(pieces[0].name == "stem .. block0");
  CHECK(pieces[1].name == "block1");
  CHECK(pieces[2].name == "block2 .. fc");
  CHECK(pieces[0].forward == Approx(5.0 / 14));
  CHECK(pieces[1].forward == Approx(4.0 / 14));
  CHECK(pieces[2].backward == Approx(5.0 / 14));
  CHECK(pieces[0].parameters == 30);
  CHECK(pieces[0].sent_bytes == 3);
  CHECK(pieces[1].sent_bytes == 4);
  CHECK(pieces[0].first_layer == 0);
  CHECK(pieces[1].first_layer == pieces[0].end_layer);
  CHECK(pieces[2].end_layer == model.layers.size());
}

TEST_CASE("blocks with attention are counted, with their outputs", "[pieces]") {
  auto model = layers_of({{"stem", 1}, {"block0.a", 1}, {"block0.b", 1}, {"block1.a", 1}, {"block1.b", 1}, {"fc", 1}});
  CHECK_FALSE(has_attention(model));
  model.layers[1].kind = model.layers[3].kind = "attention";
  CHECK(has_attention(model));
  const auto whole = cut(model, 1).front();
  CHECK(whole.attentive_blocks == 2);
  CHECK(whole.inner_bytes == 3 + 5);
  CHECK(cut(model, 4).at(0).attentive_blocks == 0);
}

TEST_CASE("without attention, layers with weights are cut, and put out what is left behind pools", "[pieces]") {
  const auto layer = [](const std::string& name, const std::string& kind, double bytes, bool weighs) {
    Layer made{name, kind, 1e9, bytes, {}};
    if (weighs) made.tensors = {{"w", {8, 3, 3, 3}, 864}, {"b", {8}, 32}};
    return made;
  };
  Model model;
  model.name = "test";
  model.layers = {layer("stem.conv", "conv3x3", 100, true), layer("stem.norm", "norm", 100, false),
                  layer("stem.pool", "pool", 25, false),    layer("mixed.a", "conv1x1", 40, true),
                  layer("mixed.pool", "pool", 50, false), // of the block's input
                  layer("mixed.b", "conv1x1", 30, true),    layer("mixed.concatenate", "elementwise", 70, false),
                  layer("fc", "linear", 10, true),          layer("loss", "loss", 4, false)};
  const auto pieces = cut(model, 3);
  CHECK(pieces[0].cut_layers == 1);
  CHECK(pieces[0].inner_bytes == 25);
  CHECK(pieces[1].cut_layers == 2);
  CHECK(pieces[1].inner_bytes == 40 + 30);
  CHECK(pieces[2].cut_layers == 1);
  CHECK(pieces[2].inner_bytes == 10);
  model.layers.push_back(layer("block.attention", "attention", 10, false));
  CHECK(cut(model, 1).front().cut_layers == 0);
}

TEST_CASE("a model in one piece is whole, and in no more pieces than it has blocks", "[pieces]") {
  const auto model = layers_of({{"a", 1}, {"b", 1}});
  CHECK(cut(model, 1).front().forward == Approx(1));
  CHECK(cut(model, 2).size() == 2);
  CHECK_THROWS_AS(cut(model, 3), std::invalid_argument);
  CHECK_THROWS_AS(cut(model, 0), std::invalid_argument);
}

TEST_CASE("a block's experts are recognised by their names, and their tokens by what they put out",
          "[pieces][expert]") {
  // Bytes of outputs are 1, 2, 3, ...: those of the two experts' last layers are 3 and 5.
  const auto model = layers_of({{"block0.attention", 2},
                                {"block0.expert0.up", 1},
                                {"block0.expert0.output", 1},
                                {"block0.expert1.up", 1},
                                {"block0.expert1.output", 1},
                                {"block1.expertise", 4}});
  CHECK(experts_of(model) == 2);
  CHECK(!is_of_expert(model.layers.back()));
  const auto piece = cut(model, 1).front();
  CHECK(piece.expert_blocks == 1);
  CHECK(piece.expert_parameters == 40);
  CHECK(piece.parameters == 60);
  CHECK(piece.routed_bytes == 3 + 5);
  CHECK(piece.expert_forward == Approx(0.4));
  CHECK(piece.expert_backward == Approx(0.4));
  CHECK(experts_of(layers_of({{"fc", 1}})) == 0);
}

TEST_CASE("a layer of several experts counts as so many layers of one", "[pieces][expert]") {
  auto model = layers_of(
      {{"block0.attention", 2}, {"block0.experts.up", 2}, {"block0.experts.output", 2}, {"block1.experts", 4}});
  CHECK(experts_of(model) == 0); // a name alone is no number of experts
  for (std::size_t l : {1, 2}) model.layers[l].experts = 8;
  CHECK(experts_of(model) == 8);
  const auto piece = cut(model, 1).front();
  CHECK(piece.expert_blocks == 1);
  CHECK(piece.expert_parameters == 20);
  CHECK(piece.routed_bytes == 3);
  CHECK(piece.expert_forward == Approx(0.4));
}

TEST_CASE("keys and values of a block are recognised by their layers' names", "[pieces][context]") {
  // Bytes of outputs are 1, 2, 3, ...
  auto model = layers_of({{"stem", 1},
                          {"block0.attention.key", 1},
                          {"block0.attention.value", 1},
                          {"block0.attention.fused", 1},
                          {"block1.attention.scores", 1},
                          {"block1.attention.context", 1},
                          {"block1.attention.query_key_value", 1},
                          {"block2.mlp", 1}});
  CHECK(has_keys_and_values(model)); // of no block
  for (const std::size_t l : {3U, 4U, 5U}) model.layers[l].kind = "attention";
  model.layers[6].activation_bytes_per_sample = 10; // 6 of queries, as many as attention's last layer puts out
  CHECK(has_keys_and_values(model));
  CHECK(cut(model, 1).front().key_bytes == 2 + 3 + 10 - 6);
  CHECK(cut(model, 4).at(0).key_bytes == 0);
  CHECK(cut(model, 4).at(1).key_bytes == 2 + 3);
  CHECK(cut(model, 4).at(2).key_bytes == 10 - 6);
  model.layers[2].name = "block0.attention.worth";
  CHECK_FALSE(has_keys_and_values(model));
  CHECK(cut(model, 4).at(1).key_bytes == 0);
}

} // namespace ddlsim
