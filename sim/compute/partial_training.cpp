#include "sim/compute/partial_training.hpp"

#include "sim/base/error.hpp"
#include "sim/compute/layer_inputs.hpp"
#include "sim/compute/piece_shape.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

constexpr double bytes_of_number = 4; ///< layer tables count in fp32

/// Products by a word for them. `last` has the last words of their layers' names. Where the word is of one matrix that
/// holds several of our products, they have one adapter together.
struct TargetWord {
  const char* word;
  bool in_attention;
  std::vector<std::string> last;
  bool is_one_matrix = false;
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
      {"linear_qkv", true, {"query", "key", "value", "query_key_value"}, true},
      {"linear_proj", true, {"output"}},
      {"linear_fc1", false, {"gate", "up", "intermediate"}, true},
      {"linear_fc2", false, {"output"}},
  };
  return table;
}

bool is_product_of_block(const Layer& layer) {
  const auto block = block_name_of(layer.name);
  return layer.kind == "linear" && !layer.tensors.empty() && layer.tensors.front().shape.size() > 1 &&
         std::isdigit(static_cast<unsigned char>(block.back())) != 0;
}

/// How a word means a layer.
enum class Meant { no, alone, with_others };

Meant meant_by(const std::string& word, const Layer& layer) {
  if (!is_product_of_block(layer)) return Meant::no;
  if (word == "all-linear") return Meant::alone;
  const bool in_attention = layer.name.find(".attention.") != std::string::npos;
  const auto last = last_word_of(layer.name);
  for (const auto& target : target_table())
    if (target.word == word && target.in_attention == in_attention &&
        std::find(target.last.begin(), target.last.end(), last) != target.last.end())
      return target.is_one_matrix ? Meant::with_others : Meant::alone;
  return Meant::no;
}

ParameterTensor matrix_of(const std::string& name, long experts, long outputs, long inputs) {
  ParameterTensor tensor{name, {outputs, inputs}, bytes_of_number * static_cast<double>(outputs * inputs)};
  if (experts == 0) return tensor;
  tensor.shape.insert(tensor.shape.begin(), experts);
  tensor.size_bytes *= static_cast<double>(experts);
  return tensor;
}

/// Products that have one adapter: the first, and the outputs of all.
struct AdaptedProducts {
  Layer first;
  long outputs = 0;
};

long outputs_of(const Layer& product) {
  const auto& shape = product.tensors.front().shape;
  return shape[shape.size() - 2];
}

/// The layers of an adapter.
std::vector<Layer> adapter_of(const AdaptedProducts& adapted, long rank) {
  const auto& base = adapted.first;
  const long inputs = base.tensors.front().shape.back();
  const double rows =
      base.forward_flop_per_sample / (2.0 * static_cast<double>(outputs_of(base)) * static_cast<double>(inputs));
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
  const double sums = rows * static_cast<double>(adapted.outputs);
  const Layer sum{fmt::format("{}.{}", base.name, adapter_sum), "elementwise", sums, bytes_of_number * sums, {}};
  return {product(adapter_down, rank, inputs), product(adapter_up, adapted.outputs, rank), sum};
}

void freeze(Layer& layer) {
  layer.frozen = std::move(layer.tensors);
  layer.tensors.clear();
  layer.backward = LayerBackward::input_only;
}

void note_unknown(const std::set<std::string>& unknown, const char* path, const char* what, const Model& model,
                  std::vector<Mistake>& mistakes) {
  if (!unknown.empty())
    mistakes.push_back(
        {"", path,
         fmt::format("no {} of {} is meant by {}; leave it out, or give a word for layers that are there", what,
                     model.name, join_names({unknown.begin(), unknown.end()}))});
}

/// Whether the next layer is a product of the same matrix.
bool goes_on(const std::vector<Layer>& layers, std::size_t layer, const std::string& word) {
  return layer + 1 < layers.size() && meant_by(word, layers[layer + 1]) == Meant::with_others &&
         block_name_of(layers[layer].name) == block_name_of(layers[layer + 1].name);
}

void add_adapters(Model& model, const TrainedPart& part, std::vector<Mistake>& mistakes) {
  const auto words = part.targets.empty() ? std::vector<std::string>{"all-linear"} : part.targets;
  std::set<std::string> unknown(words.begin(), words.end());
  std::vector<Layer> layers;
  std::optional<AdaptedProducts> adapted;
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const auto word =
        std::find_if(words.begin(), words.end(), [&](const auto& one) { return meant_by(one, layer) != Meant::no; });
    layers.push_back(layer);
    freeze(layers.back());
    if (word == words.end()) continue;
    std::erase_if(unknown, [&](const auto& one) { return meant_by(one, layer) != Meant::no; });
    if (!adapted) adapted = AdaptedProducts{layer};
    adapted->outputs += outputs_of(layer);
    if (meant_by(*word, layer) == Meant::with_others && goes_on(model.layers, l, *word)) continue;
    for (auto& one : adapter_of(*adapted, part.lora_rank)) layers.push_back(std::move(one));
    adapted.reset();
  }
  note_unknown(unknown, "/train/targets", "product", model, mistakes);
  model.layers = std::move(layers);
}

/// Returns "block" for "block12", and a name without a number as it is.
std::string without_number(std::string name) {
  while (!name.empty() && std::isdigit(static_cast<unsigned char>(name.back())) != 0) name.pop_back();
  return name;
}

void freeze_parts(Model& model, const std::vector<std::string>& parts, std::vector<Mistake>& mistakes) {
  std::set<std::string> unknown(parts.begin(), parts.end());
  for (auto& layer : model.layers) {
    const auto block = block_name_of(layer.name);
    for (const auto& name : {block, without_number(block)})
      if (std::find(parts.begin(), parts.end(), name) != parts.end()) {
        unknown.erase(name);
        if (layer.backward == LayerBackward::whole) freeze(layer);
      }
  }
  note_unknown(unknown, "/train/freeze", "part", model, mistakes);
}

/// Backward ends at the first layer that is trained.
void end_backward(Model& model, std::vector<Mistake>& mistakes) {
  const auto first = std::find_if(model.layers.begin(), model.layers.end(), [](const Layer& layer) {
    return layer.backward == LayerBackward::whole && !layer.tensors.empty();
  });
  if (first == model.layers.end() && mistakes.empty())
    mistakes.push_back(
        {"", "/train/freeze", fmt::format("nothing of {} is left to train; name fewer parts", model.name)});
  for (auto layer = model.layers.begin(); layer != first; ++layer) layer->backward = LayerBackward::none;
}

void count_parameters(Model& model) {
  model.parameters = model.size_bytes() / bytes_of_number;
  model.frozen_parameters = 0;
  for (const auto& layer : model.layers)
    for (const auto& tensor : layer.frozen) model.frozen_parameters += tensor.size_bytes / bytes_of_number;
}

void pack_documents(Model& model, double document_tokens, std::vector<Mistake>& mistakes) {
  const double tokens = model.tokens_per_sample();
  if (document_tokens > tokens) {
    mistakes.push_back({"", "/document_tokens",
                        fmt::format("{:g} tokens found, and a sample of {} has {:g}; give fewer, or leave it out",
                                    document_tokens, model.name, tokens)});
    return;
  }
  for (auto& layer : model.layers)
    if (layer.kind == "attention" && last_word_of(layer.name) == "fused")
      layer.forward_flop_per_sample *= document_tokens / tokens;
}

void train_part(Model& model, const TrainedPart& part, std::vector<Mistake>& mistakes) {
  if (part.lora_rank > 0)
    add_adapters(model, part, mistakes);
  else
    freeze_parts(model, part.freeze, mistakes);
  end_backward(model, mistakes);
  count_parameters(model);
}

} // namespace

bool is_adapter(const Layer& layer) {
  return layer.name.ends_with(adapter_down) || layer.name.ends_with(adapter_up);
}

std::string base_of_adapter(const std::string& layer) {
  return layer.substr(0, layer.rfind('.'));
}

Model partly_trained(const Model& model, const TrainedPart& part, double document_tokens, const std::string& where) {
  Model changed = model;
  std::vector<Mistake> mistakes;
  changed.training = training_text(part, document_tokens);
  if (document_tokens > 0) pack_documents(changed, document_tokens, mistakes);
  if (part != TrainedPart{}) train_part(changed, part, mistakes);
  for (auto& mistake : mistakes) mistake.where = where;
  if (!mistakes.empty()) throw UserError(std::move(mistakes));
  return changed;
}

} // namespace ddlsim
