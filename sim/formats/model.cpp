#include "sim/formats/model.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/field_table.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/layer_blocks.hpp"
#include "sim/formats/model_state.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <map>
#include <set>
#include <string_view>

namespace ddlsim {
namespace {

constexpr double fp32_bytes = 4;
constexpr long most_experts_of_layer = 100'000;
/// Largest accepted dimension, FLOP or byte count: a double holds whole numbers exactly up to here (2^53).
constexpr double largest_count = 9007199254740992.0;

double product(const std::vector<long>& shape) {
  double scalars = 1;
  for (const long length : shape) scalars *= static_cast<double>(length);
  return scalars;
}

/// A count that must be whole, stored as a double, which is exact up to 2^53.
ValueType<double> whole_count_type(double least) {
  auto type = number_type(least, largest_count);
  type.write = [](const double& count) { return nlohmann::ordered_json(static_cast<std::int64_t>(count)); };
  return type;
}

ValueType<long> whole_type_of(long least, long most) {
  return {whole_type(least, most).shape, [=](const JsonNode& place) { return place.as_integer(least, most); },
          [](const long& value) { return nlohmann::ordered_json(value); }};
}

ValueType<long> length_type() {
  constexpr long most = 9007199254740992;
  return whole_type_of(1, most);
}

/// Computes a tensor's bytes from its shape, and checks them if the file states them.
void check_tensor(const JsonNode& node, ParameterTensor& tensor) {
  const double expected = fp32_bytes * product(tensor.shape);
  if (!node.has("bytes")) tensor.size_bytes = expected;
  if (tensor.size_bytes != expected)
    node.mistake_at("bytes", fmt::format("{} found, 4 x the product of the shape = {} expected; give fp32 bytes",
                                         tensor.size_bytes, expected));
}

FieldTable<ParameterTensor> tensor_fields() {
  auto bytes = optional("bytes", &ParameterTensor::size_bytes, whole_count_type(fp32_bytes),
                        "fp32: 4 x the product of the shape, where it is stated");
  bytes.write = [](const ParameterTensor&, nlohmann::ordered_json&) {}; // the shape determines the bytes
  return {{required("name", &ParameterTensor::name, text_type(), "of the tensor, used once in a model"),
           required("shape", &ParameterTensor::shape, list_type(length_type()), "length along each dimension"), bytes},
          check_tensor};
}

FieldTable<Layer> attention_fields() {
  constexpr long most = 1'000'000'000;
  const auto of = [](auto member) { return within(&Layer::attention, member); };
  return {{optional("head_width", of(&AttentionFacts::head_width), whole_type_of(1, most),
                    "values of a head of the output; 128 is taken if not given"),
           optional("key_width", of(&AttentionFacts::key_width), whole_type_of(1, most),
                    "values of a query's and a key's head; as many as head_width if not given"),
           optional("key_heads", of(&AttentionFacts::key_heads), whole_type_of(1, most),
                    "heads of keys and values; as many as of queries if not given"),
           optional("window", of(&AttentionFacts::window), whole_type_of(1, most),
                    "tokens that one token sees; all if not given"),
           optional("chunk", of(&AttentionFacts::chunk), whole_type_of(1, most),
                    "tokens of a part that sees itself only; the whole sequence if not given"),
           optional("causal", of(&AttentionFacts::causal), boolean_type(),
                    "a token sees no later ones; true if not given")}};
}

/// Checks the facts of attention, and that each expert has its part of a tensor, along the first dimension.
void check_layer(const JsonNode& node, Layer& layer) {
  if (layer.kind != "attention" && node.has("attention"))
    node.mistake_at("attention", fmt::format("found in a layer of kind {}; leave it out", in_quotes(layer.kind)));
  const double heads = layer.attention.key_heads * std::max(1L, layer.attention.head_width);
  if (heads > layer.activation_bytes_per_sample / fp32_bytes)
    node.mistake_at("attention", "more heads of keys than the output has values; give fewer, or a smaller head_width");
  if (layer.experts == 0) return;
  for (const auto& tensor : layer.tensors)
    if (!tensor.shape.empty() && tensor.shape.front() != layer.experts)
      node.mistake_at("tensors",
                      fmt::format("{} has a first length of {} in a layer of {} experts; give [{}, ...]",
                                  in_quotes(tensor.name), tensor.shape.front(), layer.experts, layer.experts));
}

const FieldTable<Layer>& layer_fields() {
  static const FieldTable<Layer> table{
      {required("name", &Layer::name, text_type(), "of the layer, used once in a model"),
       required("kind", &Layer::kind, word_type(layer_kinds()), "what it computes"),
       required("forward_flop_per_sample", &Layer::forward_flop_per_sample, whole_count_type(0),
                "a multiply and an add are two"),
       required("activation_bytes_per_sample", &Layer::activation_bytes_per_sample, whole_count_type(0),
                "output of the layer, fp32"),
       optional("tensors", &Layer::tensors, list_type(object_type(tensor_fields())), "trainable; none if not given"),
       optional("experts", &Layer::experts, whole_type_of(1, most_experts_of_layer),
                "whose work the layer does together; the first length of its tensors; none if not given"),
       optional_group("attention", attention_fields(), "what a layer of attention computes")},
      check_layer};
  return table;
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
  auto layer = read_object(node, layer_fields());
  refuse_unnumbered(node, "name", layer.name);
  for (const auto& tensor : layer.tensors) refuse_unnumbered(node, "tensors", tensor.name);
  return layer;
}

FieldTable<LayerBlock> block_fields() {
  auto layer = object_type(layer_fields());
  layer.read = layer_of_block_from;
  return {{required("repeat", &LayerBlock::repeat, whole_type_of(2, most_layers), "how many blocks"),
           optional("first", &LayerBlock::first, whole_type_of(0, largest_block_number),
                    "number of the first block; 0 if not given"),
           required("layers", &LayerBlock::layers, list_type(layer, 1),
                    "of one block; {i} in the names of layers and tensors becomes the number of the block")}};
}

/// An entry of "layers": a block or a single layer.
ValueType<LayerBlock> entry_type() {
  const auto block = object_type(block_fields());
  const auto layer = object_type(layer_fields());
  ValueShape shape{ValueKind::either};
  shape.parts = {layer.shape, block.shape};
  return {shape,
          [=](const JsonNode& node) {
            return names_block(node) ? block.read(node) : LayerBlock{1, 0, {layer.read(node)}};
          },
          [=](const LayerBlock& entry) {
            return entry.repeat == 1 ? layer.write(entry.layers.front()) : block.write(entry);
          }};
}

/// A model as its file describes it.
struct ModelFile {
  Model model;
  std::vector<LayerBlock> blocks;
};

const FieldTable<ModelFile>& model_fields() {
  const auto of = [](auto member) { return within(&ModelFile::model, member); };
  static const auto table = document<ModelFile>(
      "ddlsim-model", 1,
      {required("name", of(&Model::name), name_type(), "the file's name, which says the variant"),
       required("title", of(&Model::title), text_type(), "what it is"),
       required("source", of(&Model::source), text_type(), "what wrote it, with versions"),
       required("sample", of(&Model::sample), text_type(), "\"image 3x224x224\", \"sequence of 128 tokens\""),
       required("parameters", of(&Model::parameters), whole_count_type(0), "trainable scalars"),
       required("layers", &ModelFile::blocks, list_type(entry_type(), 1),
                "in forward order: layers, or blocks of them")});
  return table;
}

/// Refuses blocks that would expand to too many layers or too much memory.
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

/// Checks that names are unique: those of layers, and those of tensors over all layers.
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
  const auto before = root.mistakes_so_far();
  auto [model, blocks] = read_object(root, model_fields());
  refuse_bare_model_name(root, "name", model.name);
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

FileFormat model_format() {
  return {"model", "A network as its layers, in forward order", "scenarios/models/NAME.json", model_fields().shape()};
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

bool has_attention_layer(const Model& model) {
  return std::any_of(model.layers.begin(), model.layers.end(),
                     [](const auto& layer) { return layer.kind == "attention"; });
}

double training_state_bytes(const Model& model) {
  const double copies = has_attention_layer(model) ? 4 : 3;
  return fp32_bytes * (copies * model.parameters + model.frozen_parameters);
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

double Model::training_flop_per_sample() const {
  double flop = 0;
  for (const auto& layer : layers) {
    const double passes = layer.backward == LayerBackward::whole ? 3 : layer.backward == LayerBackward::none ? 1 : 2;
    flop += passes * layer.forward_flop_per_sample;
  }
  return flop;
}

namespace {

/// Removes the separators between the parts of a name: "ResNet-50" and "resnet_50" are the same family name.
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
