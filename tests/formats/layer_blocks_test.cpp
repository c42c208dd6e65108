#include "sim/base/json.hpp"
#include "sim/formats/layer_blocks.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>

#include <random>

using ddlsim::equal_blocks;
using ddlsim::Layer;
using ddlsim::layers_of;

namespace {

Layer layer(const std::string& name, long width = 8) {
  const auto scalars = static_cast<double>(width);
  return {name, "linear", 2 * scalars, 4 * scalars, {{name + ".weight", {width}, 4 * scalars}}};
}

/// Layers of these names, all of the same work.
std::vector<Layer> alike(const std::vector<std::string>& names) {
  std::vector<Layer> layers;
  for (const auto& name : names) layers.push_back(layer(name));
  return layers;
}

/// "block{i}.a block{i}.b x 3 from 0, end": what equal_blocks() makes of the layers; checks that nothing is lost.
std::string shortened(const std::vector<Layer>& layers) {
  const auto blocks = equal_blocks(layers);
  CHECK(layers_of(blocks) == layers);
  std::string text;
  for (const auto& block : blocks) {
    text += text.empty() ? "" : ", ";
    for (std::size_t i = 0; i < block.layers.size(); ++i) text += (i == 0 ? "" : " ") + block.layers[i].name;
    if (block.repeat > 1) text += fmt::format(" x {} from {}", block.repeat, block.first);
  }
  return text;
}

} // namespace

TEST_CASE("equal blocks stand once") {
  CHECK(shortened(alike({"start", "block0.a", "block0.b", "block1.a", "block1.b", "block2.a", "block2.b", "end"})) ==
        "start, block{i}.a block{i}.b x 3 from 0, end");
  CHECK(shortened(alike({"layer1.8.conv1", "layer1.9.conv1", "layer1.10.conv1"})) == "layer1.{i}.conv1 x 3 from 8");
  CHECK(shortened(alike({"b3.conv3", "b4.conv4"})) == "b{i}.conv{i} x 2 from 3"); // one number at two places
  CHECK(shortened({}).empty());
}

TEST_CASE("of blocks in blocks, those that save most layers are taken") {
  CHECK(shortened(alike({"b0.x0", "b0.x1", "b1.x0", "b1.x1", "b2.x0", "b2.x1"})) == "b{i}.x0 b{i}.x1 x 3 from 0");
  CHECK(shortened(alike({"b0.x0", "b0.x1", "b0.x2", "b1.x0", "b1.x2"})) == "b0.x{i} x 3 from 0, b1.x0, b1.x2");
}

TEST_CASE("blocks that differ in anything but their number stay as they are") {
  const auto unchanged = [](const std::vector<Layer>& layers) { return equal_blocks(layers).size() == layers.size(); };
  const auto pair = alike({"block0", "block1"});
  REQUIRE_FALSE(unchanged(pair));
  const auto changed = [&](const auto& change) {
    auto layers = pair;
    change(layers[1]);
    return unchanged(layers);
  };
  CHECK(changed([](Layer& one) { one.kind = "norm"; }));
  CHECK(changed([](Layer& one) { one.forward_flop_per_sample += 1; }));
  CHECK(changed([](Layer& one) { one.activation_bytes_per_sample += 1; }));
  CHECK(changed([](Layer& one) { one.tensors[0].shape = {4, 2}; }));
  CHECK(changed([](Layer& one) { one.tensors[0].size_bytes = 16; }));
  CHECK(changed([](Layer& one) { one.tensors.clear(); }));
  CHECK(changed([](Layer& one) { one.tensors[0].name = "block2.weight"; }));
  CHECK(changed([](Layer& one) { one.tensors[0].name = "block0.weight"; })); // one tensor of two layers
  for (const auto& [first, second] :
       std::vector<std::pair<std::string, std::string>>{{"block0", "block2"},
                                                        {"block1", "block0"},
                                                        {"block0", "blok1"},
                                                        {"block0", "block1x"},
                                                        {"block0x", "block1"},
                                                        {"block08", "block09"},
                                                        {"block1", "block02"},
                                                        {"a", "b"},
                                                        {"{i}0", "{i}1"},
                                                        {"b3.conv4", "b4.conv5"},
                                                        {"block1000000000", "block1000000001"},
                                                        {"block99999999999999999999", "block100000000000000000000"}}) {
    INFO(first << " and " << second);
    CHECK(unchanged(alike({first, second})));
  }
}

TEST_CASE("a block is recognised by its shape: of three, the one of another width stands alone") {
  CHECK(shortened({layer("a0"), layer("a1"), layer("a2", 9), layer("a3"), layer("a4")}) ==
        "a{i} x 2 from 0, a2, a{i} x 2 from 3");
}

TEST_CASE("whatever layers there are, they come back from their blocks") {
  std::mt19937_64 random(60);
  const auto below = [&](unsigned long count) { return random() % count; };
  for (int i = 0; i < 2000; ++i) {
    std::vector<Layer> layers;
    for (auto count = below(30); count > 0; --count)
      layers.push_back(layer(fmt::format("{}{}.{}", below(2) == 0 ? "b" : "{i}", below(3), below(4)),
                             static_cast<long>(1 + below(2))));
    const auto text = shortened(layers); // which checks it
    CHECK(text.empty() == layers.empty());
  }
}

TEST_CASE("as many layers as a model may have are one block") {
  std::vector<Layer> layers;
  for (long i = 0; i < ddlsim::most_layers; ++i) layers.push_back(layer(fmt::format("op{}", i)));
  CHECK(shortened(layers) == "op{i} x 100000 from 0");
}

TEST_CASE("a block with many layers called alike is found") {
  std::vector<std::string> names;
  for (int block = 0; block < 3; ++block)
    for (int expert = 0; expert < 90; ++expert)
      names.push_back(fmt::format("block{}.expert{}", block, expert == 45 ? 200 : expert));
  const auto blocks = equal_blocks(alike(names));
  REQUIRE(blocks.size() == 1);
  CHECK(blocks[0].repeat == 3);
  CHECK(blocks[0].layers[89].name == "block{i}.expert89");
}

TEST_CASE("every shipped model stands as model_json() writes it") {
  const auto folder = std::filesystem::path(DDLSIM_SOURCE_DIR) / "scenarios" / "models";
  const ddlsim_test::TemporaryFolder scratch;
  int models = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    INFO(file.path());
    const auto model = ddlsim::read_model(file.path());
    const auto text = model_json(model);
    const bool is_as_written = text == ddlsim::read_text_file(file.path());
    CHECK(is_as_written); // without 100 KB of text
    const bool is_read_again = ddlsim::read_model(scratch.write("again.json", text)) == model;
    CHECK(is_read_again);
    ++models;
  }
  CHECK(models > 50);
}
