#include "sim/base/json.hpp"
#include "sim/formats/layer_blocks.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cstdint>
#include <utility>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

/// Converts a count to an integer; in every table that read_model() accepts, counts are whole and below 2^53.
std::int64_t whole(double count) {
  return static_cast<std::int64_t>(count);
}

/// What differs from the defaults.
Json to_json(const AttentionFacts& facts) {
  Json json = Json::object();
  const std::pair<const char*, long> counts[] = {{"head_width", facts.head_width},
                                                 {"key_width", facts.key_width},
                                                 {"key_heads", facts.key_heads},
                                                 {"window", facts.window},
                                                 {"chunk", facts.chunk}};
  for (const auto& [name, count] : counts)
    if (count > 0) json[name] = count;
  if (!facts.causal) json["causal"] = false;
  return json;
}

Json to_json(const Layer& layer) {
  Json json{{"name", layer.name},
            {"kind", layer.kind},
            {"forward_flop_per_sample", whole(layer.forward_flop_per_sample)},
            {"activation_bytes_per_sample", whole(layer.activation_bytes_per_sample)}};
  for (const auto& tensor : layer.tensors) // tensors are fp32: their bytes follow from the shape
    json["tensors"].push_back({{"name", tensor.name}, {"shape", tensor.shape}});
  if (layer.experts > 0) json["experts"] = layer.experts;
  if (const auto facts = to_json(layer.attention); !facts.empty()) json["attention"] = facts;
  return json;
}

/// Writes JSON text. Names come from files and profilers and may contain bytes that are not UTF-8.
std::string text_of(const Json& json) {
  return json_text(json, -1, JsonBytes::mended);
}

/// Writes one layer in each line, separated by commas.
std::string lines_of(const std::vector<Layer>& layers) {
  std::string lines;
  for (const auto& layer : layers) lines += (lines.empty() ? "" : ",\n") + text_of(to_json(layer));
  return lines;
}

std::string lines_of(const LayerBlock& block) {
  if (block.repeat == 1) return lines_of(block.layers);
  const auto first = block.first == 0 ? "" : fmt::format("\"first\":{},", block.first);
  return fmt::format("{{\"repeat\":{},{}\"layers\":[\n{}\n]}}", block.repeat, first, lines_of(block.layers));
}

} // namespace

std::string model_json(const Model& model) {
  std::string text = fmt::format("{{\"format\":\"ddlsim-model\",\"version\":1,\n\"name\":{},\n\"title\":{},\n"
                                 "\"source\":{},\n\"sample\":{},\n\"parameters\":{},\n\"layers\":[\n",
                                 text_of(model.name), text_of(model.title), text_of(model.source),
                                 text_of(model.sample), whole(model.parameters));
  const auto blocks = equal_blocks(model.layers);
  for (std::size_t i = 0; i < blocks.size(); ++i) text += (i == 0 ? "" : ",\n") + lines_of(blocks[i]);
  return text + "\n]}\n";
}

} // namespace ddlsim
