#include "sim/compute/layer_inputs.hpp"

#include <catch2/catch.hpp>

#include <map>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

/// What each layer reads, by name.
std::map<std::string, std::vector<std::string>> read_in(const std::vector<Layer>& layers) {
  std::map<std::string, std::vector<std::string>> read;
  const auto inputs = inputs_of_layers(layers);
  for (std::size_t l = 0; l < layers.size(); ++l)
    for (const auto input : inputs[l]) read[layers[l].name].push_back(layers[input].name);
  return read;
}

Layer named(const std::string& name, const std::string& kind = "linear", long experts = 0) {
  Layer layer;
  layer.name = name;
  layer.kind = kind;
  layer.experts = experts;
  return layer;
}

using Names = std::vector<std::string>;

} // namespace

TEST_CASE("feed-forward layers beside attention read what attention reads", "[layer-inputs]") {
  std::vector<Layer> layers{
      named("embedding", "embedding"),  named("block0.norm1", "norm"),     named("block0.attention.query"),
      named("block0.attention.key"),    named("block0.attention.value"),   named("block0.attention.fused", "attention"),
      named("block0.attention.output"), named("block0.intermediate"),      named("block0.gelu", "activation"),
      named("block0.output"),           named("block0.add", "elementwise")};
  CHECK(read_in(layers)["block0.intermediate"] == Names{"block0.norm1"});
  layers.insert(layers.begin() + 7, named("block0.norm2", "norm"));
  CHECK(read_in(layers)["block0.norm2"] == Names{"embedding"});
  CHECK(read_in(layers)["block0.intermediate"] == Names{"block0.norm2"});
  layers[7] = named("block0.add1", "elementwise"); // one behind the other
  CHECK(read_in(layers)["block0.intermediate"] == Names{"block0.add1"});
}

TEST_CASE("a router and narrow experts read what the shared expert reads", "[layer-inputs]") {
  const auto read =
      read_in({named("block0.norm2", "norm"), named("block0.shared.gate"), named("block0.shared.up"),
               named("block0.shared.silu", "activation"), named("block0.shared.multiply", "elementwise"),
               named("block0.shared.output"), named("block0.router"), named("block0.router_softmax", "activation"),
               named("block0.narrow"), named("block0.experts.intermediate", "linear", 4)});
  CHECK(read.at("block0.router") == Names{"block0.norm2"});
  CHECK(read.at("block0.narrow") == Names{"block0.norm2"});
  CHECK(read.at("block0.experts.intermediate") == Names{"block0.narrow"});
}

TEST_CASE("attention of a decoder reads keys and values of the encoder", "[layer-inputs]") {
  const auto read =
      read_in({named("encoder_norm", "norm"), named("decoder0.norm1", "norm"), named("decoder0.cross.query"),
               named("decoder0.cross.key"), named("decoder0.cross.value"), named("decoder0.cross.fused", "attention")});
  CHECK(read.at("decoder0.cross.query") == Names{"decoder0.norm1"});
  CHECK(read.at("decoder0.cross.key") == Names{"encoder_norm"});
  CHECK(read.at("decoder0.cross.value") == Names{"encoder_norm"});
}

} // namespace ddlsim
