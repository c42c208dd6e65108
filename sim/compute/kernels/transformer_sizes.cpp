#include "sim/compute/kernels/transformer_sizes.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <string_view>

namespace ddlsim {

namespace {

// Sizes of heads of published models: 64 of BERT, GPT-2 and small MPT, 128 of Llama, Megatron-LM's GPTs and larger MPT.
constexpr double narrowest_with_wide_heads = 1536;
constexpr double wide_head = 128;
constexpr double narrow_head = 64;
constexpr std::string_view first_block = "block0.";

/// Layers by name, the first of each name.
using LayersByName = std::map<std::string, const Layer*, std::less<>>;

/// The first layer of these names that the table has; null for none.
const Layer* any_of_layers(const LayersByName& layers, std::initializer_list<std::string_view> names) {
  for (const auto name : names)
    if (const auto found = layers.find(name); found != layers.end()) return found->second;
  return nullptr;
}

/// Rows of a layer's matrix: its outputs, or words. 0 without a matrix.
double rows_of_weight(const Layer* layer) {
  if (layer == nullptr) return 0;
  for (const auto& tensor : layer->tensors)
    if (tensor.shape.size() == 2) return static_cast<double>(tensor.shape[0]);
  return 0;
}

double columns_of_weight(const Layer* layer) {
  if (layer == nullptr) return 0;
  for (const auto& tensor : layer->tensors)
    if (tensor.shape.size() == 2) return static_cast<double>(tensor.shape[1]);
  return 0;
}

/// How many blocks the table has: each has one layer that ends like that of the first.
double blocks_with(const Model& model, std::string_view first) {
  const auto end = first.substr(first_block.size() - 1); // ".attention.query"
  return static_cast<double>(std::count_if(model.layers.begin(), model.layers.end(), [&](const Layer& layer) {
    return layer.name.rfind("block", 0) == 0 && layer.name.size() > end.size() &&
           std::string_view(layer.name).substr(layer.name.size() - end.size()) == end;
  }));
}

/// Tokens of a sequence whose logits are computed, by the FLOP of the decoder.
double scored_by(const Layer& decoder, const TransformerSizes& sizes) {
  constexpr double flop_of_a_weight = 2;
  return decoder.forward_flop_per_sample / (flop_of_a_weight * sizes.hidden * sizes.vocabulary);
}

void take_heads(TransformerSizes& sizes, double key_width) {
  sizes.head_size = sizes.hidden >= narrowest_with_wide_heads ? wide_head : narrow_head;
  sizes.heads = std::max(1.0, sizes.hidden / sizes.head_size);
  sizes.kv_heads = std::max(1.0, key_width / sizes.head_size);
}

} // namespace

std::optional<TransformerSizes> transformer_sizes(const Model& model) {
  LayersByName layers;
  for (const auto& layer : model.layers) layers.emplace(layer.name, &layer);
  const auto* words = any_of_layers(layers, {"embeddings.word"});
  const auto* query = any_of_layers(layers, {"block0.attention.query_key_value", "block0.attention.query"});
  const auto* key = any_of_layers(layers, {"block0.attention.key"});
  const auto* inner = any_of_layers(layers, {"block0.gate", "block0.intermediate"});
  const auto* decoder = any_of_layers(layers, {"words.decoder", "masked_words.decoder"});
  TransformerSizes sizes;
  sizes.sequence = model.tokens_per_sample();
  sizes.hidden = columns_of_weight(words);
  sizes.vocabulary = rows_of_weight(words);
  sizes.ffn = rows_of_weight(inner);
  if (query == nullptr || decoder == nullptr || std::min({sizes.sequence, sizes.hidden, sizes.ffn}) <= 0)
    return std::nullopt;
  sizes.layers = blocks_with(model, query->name);
  sizes.gated = layers.count("block0.gate") > 0;
  sizes.causal = layers.count("masked_words.decoder") == 0;
  sizes.tied_words = rows_of_weight(decoder) <= 0;
  sizes.scored_tokens = scored_by(*decoder, sizes);
  take_heads(sizes, key == nullptr ? sizes.hidden : rows_of_weight(key));
  return sizes;
}

double layer_parameters(const TransformerSizes& sizes) {
  const double head_size = sizes.head_size > 0 ? sizes.head_size : sizes.hidden / sizes.heads;
  const double kv_heads = sizes.kv_heads > 0 ? sizes.kv_heads : sizes.heads;
  return 2 * sizes.hidden * head_size * (sizes.heads + kv_heads) + (sizes.gated ? 3 : 2) * sizes.hidden * sizes.ffn;
}

} // namespace ddlsim
