#include "sim/formats/model.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/layer_blocks.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <charconv>
#include <map>
#include <set>
#include <string_view>

namespace ddlsim {
namespace {

constexpr double fp32_bytes = 4;
/// Largest dimension, FLOP or byte count that is accepted: whole numbers are exact in a double up to here (2^53).
constexpr double largest_count = 9007199254740992.0;

double product(const std::vector<long>& shape) {
  double scalars = 1;
  for (const long length : shape) scalars *= static_cast<double>(length);
  return scalars;
}

std::vector<long> shape_from(const JsonNode& node) {
  std::vector<long> shape;
  for (const auto& length : node.list("shape")) {
    const auto& value = length.value();
    if (value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() <= largest_count) {
      shape.push_back(value.get<long>());
    } else {
      length.mistake(fmt::format("{} is not a length; give a whole number of 1 or more", describe(value)));
    }
  }
  return shape;
}

ParameterTensor tensor_from(const JsonNode& node) {
  static const std::vector<std::string> known{"name", "shape", "bytes"};
  ParameterTensor tensor;
  const auto before = node.mistakes_so_far();
  if (!node.is_object()) return tensor;
  node.allow_only(known);
  tensor.name = node.text("name");
  tensor.shape = shape_from(node);
  const double expected = fp32_bytes * product(tensor.shape);
  tensor.size_bytes = node.has("bytes") ? node.number("bytes", fp32_bytes, largest_count) : expected;
  if (node.mistakes_so_far() == before && tensor.size_bytes != expected) {
    node.mistake_at("bytes", fmt::format("{} found, 4 x the product of the shape = {} expected; give fp32 bytes",
                                         tensor.size_bytes, expected));
  }
  return tensor;
}

Layer layer_from(const JsonNode& node) {
  static const std::vector<std::string> known{"name", "kind", "forward_flop_per_sample", "activation_bytes_per_sample",
                                              "tensors"};
  Layer layer;
  if (!node.is_object()) return layer;
  node.allow_only(known);
  layer.name = node.text("name");
  layer.kind = node.one_of("kind", layer_kinds());
  layer.forward_flop_per_sample = node.number("forward_flop_per_sample", 0, largest_count);
  layer.activation_bytes_per_sample = node.number("activation_bytes_per_sample", 0, largest_count);
  if (node.has("tensors"))
    for (const auto& tensor : node.list("tensors")) layer.tensors.push_back(tensor_from(tensor));
  return layer;
}

/// Whether an entry of "layers" is a block rather than a layer.
bool names_block(const JsonNode& node) {
  return node.value().is_object() && (node.has("repeat") || node.has("layers"));
}

void refuse_unnumbered(const JsonNode& node, const std::string& key, const std::string& name) {
  if (name.empty() || name.find(block_number) != std::string::npos) return;
  node.mistake_at(key, fmt::format("{} found, and each block would have it; put {} where the number of the block "
                                   "belongs, as in \"block{}.norm\"",
                                   in_quotes(name), block_number, block_number));
}

Layer layer_of_block_from(const JsonNode& node) {
  if (names_block(node)) {
    node.mistake("a block in a block found; write the layers of the inner one out");
    return {};
  }
  auto layer = layer_from(node);
  refuse_unnumbered(node, "name", layer.name);
  for (const auto& tensor : layer.tensors) refuse_unnumbered(node, "tensors", tensor.name);
  return layer;
}

/// An entry of "layers": a block, or one layer.
LayerBlock block_from(const JsonNode& node) {
  static const std::vector<std::string> known{"repeat", "first", "layers"};
  if (!names_block(node)) return {1, 0, {layer_from(node)}};
  LayerBlock block;
  node.allow_only(known);
  block.repeat = node.integer("repeat", 2, most_layers);
  block.first = node.integer_or("first", 0, 0, largest_block_number);
  const auto before = node.mistakes_so_far();
  for (const auto& layer : node.list("layers")) block.layers.push_back(layer_of_block_from(layer));
  if (block.layers.empty() && node.mistakes_so_far() == before)
    node.mistake_at("layers", "no layer found; give one or more");
  return block;
}

/// A short file must not fill the memory.
void refuse_too_many(const std::vector<LayerBlock>& blocks, const JsonNode& root) {
  constexpr auto most_bytes = static_cast<double>(max_document_bytes);
  long layers = 0;
  double repeated_bytes = 0;
  for (const auto& block : blocks) {
    layers += block.repeat * static_cast<long>(block.layers.size());
    if (block.repeat == 1) continue;
    for (const auto& layer : block.layers) repeated_bytes += static_cast<double>(block.repeat) * held_bytes(layer);
  }
  if (layers > most_layers) {
    root.mistake_at("layers", fmt::format("{} layers found once blocks are repeated, {} at most expected; repeat them "
                                          "less often",
                                          layers, most_layers));
  } else if (repeated_bytes > most_bytes) {
    root.mistake_at("layers", fmt::format("{:.4g} bytes found once blocks are repeated, {:.4g} at most expected; give "
                                          "shorter names or repeat them less often",
                                          repeated_bytes, most_bytes));
  }
}

/// Layers, and tensors over all layers, are told apart by name.
void refuse_names_used_twice(const Model& model, const JsonNode& root) {
  std::set<std::string> layers;
  std::set<std::string> tensors;
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const auto& layer = model.layers[i];
    if (!layers.insert(layer.name).second) {
      root.mistake_at("layers",
                      fmt::format("layer {} has the name {} of an earlier one; number them", i, in_quotes(layer.name)));
    }
    for (const auto& tensor : layer.tensors) {
      if (!tensors.insert(tensor.name).second) {
        root.mistake_at("layers", fmt::format("layer {} has the tensor {} of an earlier one; a shared tensor "
                                              "stands once, where its gradient is ready",
                                              i, in_quotes(tensor.name)));
      }
    }
  }
}

} // namespace

Model model_from(const JsonNode& root) {
  static const std::vector<std::string> known{"format", "version",    "name",   "title",
                                              "source", "parameters", "sample", "layers"};
  Model model;
  const auto before = root.mistakes_so_far();
  root.allow_only(known);
  model.name = simple_name(root, "name");
  refuse_bare_model_name(root, "name", model.name);
  model.title = root.text("title");
  model.source = root.text("source");
  model.sample = root.text("sample");
  model.parameters = root.number("parameters", 0, largest_count);
  std::vector<LayerBlock> blocks;
  for (const auto& entry : root.list("layers")) blocks.push_back(block_from(entry));
  if (root.has("layers") && blocks.empty()) root.mistake_at("layers", "no layer found; give one or more");
  refuse_too_many(blocks, root);
  if (root.mistakes_so_far() > before) return model;
  model.layers = layers_of(blocks);
  refuse_names_used_twice(model, root);
  const double expected = model.size_bytes() / fp32_bytes;
  if (model.parameters != expected) {
    root.mistake_at("parameters",
                    fmt::format("{} found, the shapes sum to {}; write the model again", model.parameters, expected));
  }
  return model;
}

Model read_model(const std::filesystem::path& file) {
  Model model;
  read_document(file, "ddlsim-model", 1, [&](const JsonNode& root) { model = model_from(root); });
  return model;
}

double Model::tokens_per_sample() const {
  constexpr std::string_view before = "sequence of ";
  constexpr std::string_view after = " tokens";
  if (!sample.starts_with(before) || !sample.ends_with(after)) return 0;
  double tokens = 0;
  const auto* const first = sample.data() + before.size();
  const auto* const last = sample.data() + sample.size() - after.size();
  const auto read = std::from_chars(first, last, tokens);
  return read.ec == std::errc() && read.ptr == last && tokens > 0 ? tokens : 0;
}

double Model::size_bytes() const {
  double bytes = 0;
  for (const auto& layer : layers)
    for (const auto& tensor : layer.tensors) bytes += tensor.size_bytes;
  return bytes;
}

double Model::forward_flop_per_sample() const {
  double flop = 0;
  for (const auto& layer : layers) flop += layer.forward_flop_per_sample;
  return flop;
}

namespace {

/// Without the signs people put between the parts of a name: "ResNet-50" and "resnet_50" both leave the variant open.
std::string transfers(const std::string& name) {
  std::string letters;
  for (const char c : name)
    if (c != '-' && c != '_') letters += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return letters;
}

std::vector<std::string> resnet_variants(const std::string& depth) {
  return {"resnet" + depth + "_v1", "resnet" + depth + "_v1.5", "resnet" + depth + "_v2"};
}

} // namespace

std::vector<std::string> variants_of_bare_name(const std::string& name) {
  static const std::vector<std::string> inceptions{"inception_v3", "inception_v3_aux", "inception_v3_tf"};
  static const std::map<std::string, std::vector<std::string>> families{
      {"resnet50", resnet_variants("50")},
      {"resnet101", resnet_variants("101")},
      {"resnet152", resnet_variants("152")},
      {"inception", inceptions},
      {"inception3", inceptions},
      {"bert", {"bert_base_seq64", "bert_base_seq128", "bert_large_seq64", "bert_large_seq128", "bert_large_seq512"}},
      {"bertbase", {"bert_base_seq64", "bert_base_seq128"}},
      {"bertlarge", {"bert_large_seq64", "bert_large_seq128", "bert_large_seq512"}}};
  const auto family = families.find(transfers(name));
  return family == families.end() ? std::vector<std::string>{} : family->second;
}

void refuse_bare_model_name(const JsonNode& node, const std::string& key, const std::string& name) {
  const auto variants = variants_of_bare_name(name);
  if (!variants.empty()) {
    node.mistake_at(key, fmt::format("{} leaves open which variant is meant; give one of {}", in_quotes(name),
                                     join_names(variants)));
  }
}

} // namespace ddlsim
