#include "sim/compute/layer_inputs.hpp"

#include "sim/compute/partial_training.hpp"
#include "sim/compute/piece_shape.hpp"

#include <algorithm>
#include <map>
#include <optional>

namespace ddlsim {
namespace {

/// Returns "block3.attention." for "block3.attention.query"; "" for a name of one word.
std::string part_before_last_word(const std::string& layer) {
  return layer.substr(0, layer.rfind('.') + 1);
}

/// The layers so far by name, and what each reads.
class Wiring {
public:
  explicit Wiring(const std::vector<Layer>& layers) : layers_(layers) {}

  std::vector<std::vector<std::size_t>> inputs() {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      inputs_.push_back(inputs_of(l));
      const auto block = block_name_of(layers_[l].name);
      first_of_block_.try_emplace(block, l);
      by_name_[layers_[l].name] = l;
    }
    return inputs_;
  }

private:
  std::optional<std::size_t> sibling(std::size_t layer, const char* word) const {
    const auto found = by_name_.find(part_before_last_word(layers_[layer].name) + word);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  std::vector<std::size_t> before(std::size_t layer) const {
    if (layer == 0) return {};
    return {layer - 1};
  }

  std::vector<std::size_t> read_by(std::size_t reader, std::optional<std::size_t> other) const {
    return other ? inputs_[*other] : before(reader);
  }

  /// Those of the siblings that are in the table.
  std::vector<std::size_t> siblings(std::size_t layer, std::initializer_list<const char*> words) const {
    std::vector<std::size_t> found;
    for (const char* word : words)
      if (const auto other = sibling(layer, word)) found.push_back(*other);
    return found;
  }

  /// What queries and keys are read from by the products of attention.
  std::vector<std::size_t> queries_and_keys(std::size_t layer) const {
    auto found = siblings(layer, {"rotary"});
    if (found.empty()) found = siblings(layer, {"query", "key"});
    return found;
  }

  std::vector<std::size_t> read_by_attention(std::size_t layer, const std::string& word) const {
    auto found = word == "context" ? before(layer) : queries_and_keys(layer);
    const auto values =
        word == "scores" && !found.empty() ? std::vector<std::size_t>{} : siblings(layer, {"value", "query_key_value"});
    found.insert(found.end(), values.begin(), values.end());
    return found.empty() ? before(layer) : found;
  }

  std::optional<std::size_t> named(const std::string& name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? std::nullopt : std::optional(found->second);
  }

  /// Latent attention makes keys and values of a narrow state, and a decoder some of the encoder's states.
  std::vector<std::size_t> keys_and_values_read(std::size_t layer) const {
    if (layers_[layer].name.find(".cross.") != std::string::npos)
      if (const auto states = named("encoder_norm")) return {*states};
    if (const auto state = sibling(layer, "state_norm")) return {*state};
    return read_by(layer, sibling(layer, "query"));
  }

  std::vector<std::size_t> inputs_of(std::size_t layer) const {
    const auto& one = layers_[layer];
    const auto word = last_word_of(one.name);
    if (one.kind == "attention") return read_by_attention(layer, word);
    if (word == adapter_down) // reads what the product beside it reads
      if (const auto base = by_name_.find(base_of_adapter(one.name)); base != by_name_.end())
        return inputs_[base->second];
    if (word == "query_norm" || word == "key_norm")
      if (const auto normed = sibling(layer, word == "key_norm" ? "key" : "query")) return {*normed};
    if (word == "state") return read_by(layer, sibling(layer, sibling(layer, "query_down") ? "query_down" : "query"));
    if (word == "key" || word == "value") return keys_and_values_read(layer);
    if (word == "up") return read_by(layer, sibling(layer, "gate"));
    if (word == "rotary") {
      auto found = siblings(layer, {"query_norm", "key_norm"});
      if (found.size() < 2) found = siblings(layer, {"query", "key", "query_key_value"});
      return found.empty() ? before(layer) : found;
    }
    if (one.kind == "activation" && sibling(layer, "gate") && sibling(layer, "up")) return siblings(layer, {"gate"});
    if (word == "multiply") {
      auto found = before(layer);
      for (const auto other : siblings(layer, {"up"})) found.push_back(other);
      return found;
    }
    if (const auto read = read_beside(layer, word)) return {*read};
    return inputs_by_block(layer);
  }

  /// What is read around the layer before: by feed-forward layers and their norm beside attention, whose sum comes
  /// after both; by a router and by narrow experts beside a shared expert.
  std::optional<std::size_t> read_beside(std::size_t layer, const std::string& word) const {
    const auto block = block_name_of(layers_[layer].name);
    const auto first_of = [&](std::optional<std::size_t> other) -> std::optional<std::size_t> {
      if (!other || inputs_[*other].empty()) return std::nullopt;
      return inputs_[*other].front();
    };
    if (word == "router" || word == "shared_weight") {
      const auto gate = named(block + ".shared.gate");
      return first_of(gate ? gate : named(block + ".shared.intermediate"));
    }
    if (layers_[layer].name == block + ".narrow") return first_of(named(block + ".router"));
    const bool is_beside = named(block + ".attention.output") && !named(block + ".add1");
    if (!is_beside || part_before_last_word(layers_[layer].name) != block + ".") return std::nullopt;
    if (word == "norm2") return first_of(named(block + ".norm1"));
    if (word == "gate" || word == "intermediate") return named(block + (named(block + ".norm2") ? ".norm2" : ".norm1"));
    return std::nullopt;
  }

  std::vector<std::size_t> inputs_by_block(std::size_t layer) const {
    const auto& name = layers_[layer].name;
    const auto block = block_name_of(name);
    const bool begins_expert =
        is_of_expert(layers_[layer]) && part_before_last_word(layers_[layer - 1].name) != part_before_last_word(name);
    if (begins_expert)
      if (const auto narrow = by_name_.find(block + ".narrow"); narrow != by_name_.end()) return {narrow->second};
    if (begins_expert)
      if (const auto router = by_name_.find(block + ".router"); router != by_name_.end())
        return inputs_[router->second];
    const auto first = first_of_block_.find(block);
    const bool goes_around = name.find("downsample.0") != std::string::npos;
    if (goes_around && first != first_of_block_.end()) return inputs_[first->second];
    return before(layer);
  }

  const std::vector<Layer>& layers_;
  std::vector<std::vector<std::size_t>> inputs_;
  std::map<std::string, std::size_t> by_name_;
  std::map<std::string, std::size_t> first_of_block_;
};

} // namespace

std::string last_word_of(const std::string& layer) {
  return layer.substr(layer.rfind('.') + 1);
}

std::vector<std::vector<std::size_t>> inputs_of_layers(const std::vector<Layer>& layers) {
  return Wiring(layers).inputs();
}

} // namespace ddlsim
