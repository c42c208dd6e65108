#include "sim/compute/partial_training.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/layer_inputs.hpp"
#include "sim/compute/piece_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

constexpr double bytes_of_number = 4; ///< layer tables count in fp32

/// Products by a word for them. `last` has the last words of their layers' names.
struct TargetWord {
  const char* word;
  bool in_attention;
  std::vector<std::string> last;
};

/// Our words, those of Hugging Face PEFT for Llama, and those of Megatron-Bridge, whose matrices hold several of ours.
const std::vector<TargetWord>& target_table() {
  static const std::vector<TargetWord> table{
      {"query", true, {"query", "query_key_value"}},
      {"key", true, {"key", "query_key_value"}},
      {"value", true, {"value", "query_key_value"}},
      {"output", true, {"output"}},
      {"gate", false, {"gate"}},
      {"up", false, {"up", "intermediate"}},
      {"down", false, {"output"}},
      {"q_proj", true, {"query", "query_key_value"}},
      {"k_proj", true, {"key", "query_key_value"}},
      {"v_proj", true, {"value", "query_key_value"}},
      {"o_proj", true, {"output"}},
      {"gate_proj", false, {"gate"}},
      {"up_proj", false, {"up", "intermediate"}},
      {"down_proj", false, {"output"}},
      {"linear_qkv", true, {"query", "key", "value", "query_key_value"}},
      {"linear_proj", true, {"output"}},
      {"linear_fc1", false, {"gate", "up", "intermediate"}},
      {"linear_fc2", false, {"output"}},
  };
  return table;
}

bool is_product_of_block(const Layer& layer) {
  const auto block = block_name_of(layer.name);
  return layer.kind == "linear" && !layer.tensors.empty() && layer.tensors.front().shape.size() > 1 &&
         std::isdigit(static_cast<unsigned char>(block.back())) != 0;
}

bool is_meant_by(const std::string& word, const Layer& layer) {
  if (!is_product_of_block(layer)) return false;
  if (word == "all-linear") return true;
  const bool in_attention = layer.name.find(".attention.") != std::string::npos;
  const auto last = last_word_of(layer.name);
  return std::any_of(target_table().begin(), target_table().end(), [&](const TargetWord& target) {
    return target.word == word && target.in_attention == in_attention &&
           std::find(target.last.begin(), target.last.end(), last) != target.last.end();
  });
}

ParameterTensor matrix_of(const std::string& name, long experts, long outputs, long inputs) {
  ParameterTensor tensor{name, {outputs, inputs}, bytes_of_number * static_cast<double>(outputs * inputs)};
  if (experts == 0) return tensor;
  tensor.shape.insert(tensor.shape.begin(), experts);
  tensor.size_bytes *= static_cast<double>(experts);
  return tensor;
}

/// The layers of an adapter beside a product, which is not frozen yet.
std::vector<Layer> adapter_of(const Layer& base, long rank) {
  const auto& shape = base.tensors.front().shape;
  const long outputs = shape[shape.size() - 2];
  const long inputs = shape.back();
  const double rows = base.forward_flop_per_sample / (2.0 * static_cast<double>(outputs) * static_cast<double>(inputs));
  const auto product = [&](const char* word, long out, long in) {
    Layer layer{fmt::format("{}.{}", base.name, word),
                "linear",
                2 * rows * static_cast<double>(out) * static_cast<double>(in),
                bytes_of_number * rows * static_cast<double>(out),
                {},
                base.experts};
    layer.tensors = {matrix_of(layer.name + ".weight", base.experts, out, in)};
    return layer;
  };
  const double sums = rows * static_cast<double>(outputs);
  const Layer sum{fmt::format("{}.{}", base.name, adapter_sum), "elementwise", sums, bytes_of_number * sums, {}};
  return {product(adapter_down, rank, inputs), product(adapter_up, outputs, rank), sum};
}

void freeze(Layer& layer) {
  layer.frozen = std::move(layer.tensors);
  layer.tensors.clear();
  layer.backward = LayerBackward::input_only;
}

void refuse_unknown(const std::set<std::string>& unknown, const char* path, const char* what, const Model& model) {
  if (unknown.empty()) return;
  throw UserError("", path,
                  fmt::format("no {} of {} is meant by {}; leave it out, or give a word for layers that are there",
                              what, model.name, join_names({unknown.begin(), unknown.end()})));
}

void add_adapters(Model& model, const TrainedPart& part) {
  const auto words = part.targets.empty() ? std::vector<std::string>{"all-linear"} : part.targets;
  std::set<std::string> unknown(words.begin(), words.end());
  std::vector<Layer> layers;
  for (auto& layer : model.layers) {
    std::vector<Layer> adapter;
    for (const auto& word : words)
      if (is_meant_by(word, layer)) {
        unknown.erase(word);
        adapter = adapter_of(layer, part.lora_rank);
      }
    freeze(layer);
    layers.push_back(std::move(layer));
    for (auto& one : adapter) layers.push_back(std::move(one));
  }
  refuse_unknown(unknown, "/train/targets", "product", model);
  model.layers = std::move(layers);
}

/// Returns "block" for "block12", and a name without a number as it is.
std::string without_number(std::string name) {
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
  return name;
}

void freeze_parts(Model& model, const std::vector<std::string>& parts) {
  std::set<std::string> unknown(parts.begin(), parts.end());
  for (auto& layer : model.layers) {
    const auto block = block_name_of(layer.name);
    for (const auto& name : {block, without_number(block)})
      if (std::find(parts.begin(), parts.end(), name) != parts.end()) {
        unknown.erase(name);
        if (layer.backward == LayerBackward::whole) freeze(layer);
      }
  }
  refuse_unknown(unknown, "/train/freeze", "part", model);
}

/// Backward ends at the first layer that is trained.
void end_backward(Model& model) {
  const auto first = std::find_if(model.layers.begin(), model.layers.end(), [](const Layer& layer) {
    return layer.backward == LayerBackward::whole && !layer.tensors.empty();
  });
  if (first == model.layers.end())
    throw UserError("", "/train/freeze", fmt::format("nothing of {} is left to train; name fewer parts", model.name));
  for (auto layer = model.layers.begin(); layer != first; ++layer) layer->backward = LayerBackward::none;
}

void count_parameters(Model& model) {
  model.parameters = model.size_bytes() / bytes_of_number;
  model.frozen_parameters = 0;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.frozen) model.frozen_parameters += tensor.size_bytes / bytes_of_number;
}

void pack_documents(Model& model, double document_tokens) {
  const double tokens = model.tokens_per_sample();
  if (document_tokens > tokens)
    throw UserError("", "/document_tokens",
                    fmt::format("{:g} tokens found, and a sample of {} has {:g}; give fewer, or leave it out",
                                document_tokens, model.name, tokens));
  for (auto& layer : model.layers)
    if (layer.kind == "attention" && last_word_of(layer.name) == "fused")
      layer.forward_flop_per_sample *= document_tokens / tokens;
}

} // namespace

bool is_adapter(const Layer& layer) {
  return layer.name.ends_with(adapter_down) || layer.name.ends_with(adapter_up);
}

std::string base_of_adapter(const std::string& layer) {
  return layer.substr(0, layer.rfind('.'));
}

Model partly_trained(const Model& model, const TrainedPart& part, double document_tokens) {
  Model changed = model;
  changed.training = training_text(part, document_tokens);
  if (document_tokens > 0) pack_documents(changed, document_tokens);
  if (part == TrainedPart{}) return changed;
  if (part.lora_rank > 0)
    add_adapters(changed, part);
  else
    freeze_parts(changed, part.freeze);
  end_backward(changed);
  count_parameters(changed);
  return changed;
}

} // namespace ddlsim
