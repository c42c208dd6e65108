#include "sim/compute/layer_memory.hpp"

#include "sim/compute/layer_inputs.hpp"
#include "sim/compute/piece_shape.hpp"
#include "sim/compute/unit_shape.hpp"

#include <algorithm>
#include <string>

namespace ddlsim {
namespace {

constexpr double fp32_bytes_of_element = 4;
constexpr double mask_bytes = 1;  ///< of an element of dropout (Korthikanti et al., arXiv:2205.05198, section 4.1)
constexpr double index_bytes = 8; ///< where a pool's maximum was: int64 (ATen/native/DilatedMaxPool2d.cpp, v1.13)
/// Of a token and an expert: fp32 scores, probabilities, choice and their order (Megatron-LM 23e00ed,
/// megatron/core/transformer/moe/router.py and moe_utils.py).
constexpr double router_bytes = 24;

/// Bytes of an element in the type of compute.
double bytes_of_element(Precision precision) {
  return has_16_bit_values(precision) ? 2 : fp32_bytes_of_element;
}

/// Bytes of a logit at the loss: the logits in the type of compute, then
///   eager     an fp32 copy, log-softmax and its gradient, each fp32 (torch/nn/functional.py)
///   parallel  an fp32 copy, in which softmax is made, and its gradient (Megatron-LM 23e00ed,
///             megatron/core/tensor_parallel/cross_entropy.py; also its fused form)
///   fused     an fp32 gradient beside them (flash-attn's and llm-foundry's; Transformer Engine since #3193)
///   compiled  a gradient of their own type (torch.compile of the loss)
///   in_place  nothing: the gradient is written over them (Transformer Engine c188b533)
double loss_bytes(CrossEntropy kind, Precision precision) {
  const double logit = bytes_of_element(precision);
  const double copy = has_16_bit_values(precision) ? fp32_bytes_of_element : 0;
  switch (kind) {
  case CrossEntropy::eager:
    return logit + copy + 2 * fp32_bytes_of_element;
  case CrossEntropy::parallel:
    return logit + copy + fp32_bytes_of_element;
  case CrossEntropy::fused:
    return logit + fp32_bytes_of_element;
  case CrossEntropy::compiled:
    return 2 * logit;
  case CrossEntropy::in_place:
    return logit;
  }
  return 0;
}

bool keeps_its_output(const std::string& word) {
  return word.starts_with("relu") || word == "softmax" || word == "tanh" || word == "sigmoid";
}

/// What backward of one layer needs.
struct Needed {
  std::vector<std::size_t> outputs; ///< of these layers
  double own_bytes = 0;             ///< of a sample, beside them
};

/// Counts what is kept layer by layer, in the order of forward.
class Counter {
public:
  Counter(const Model& model, const KeptFacts& facts)
      : layers_(model.layers), facts_(facts), inputs_(inputs_of_layers(model.layers)),
        again_(layers_computed_again(model, facts.recompute, precision_of_rule(facts.precision))),
        is_kept_(model.layers.size(), false), is_made_again_(model.layers.size(), false), counted_(layers_.size()) {
    for (const auto& layer : layers_) unit_of_.push_back(unit_name_of(layer.name));
    find_sums();
  }

  std::vector<LayerMemory> count() {
    for (std::size_t l = 0; l < layers_.size(); ++l) {
      if (l > 0 && unit_of_[l] != unit_of_[l - 1]) made_again_ = 0;
      if (is_loss_of_logits(l))
        counted_[l].loss = elements(l) * loss_bytes(facts_.cross_entropy, facts_.precision);
      else
        count(l);
    }
    return counted_;
  }

private:
  /// A rule of recomputation that does not count products in 8 bits keeps what it keeps in 16: see layer_memory().
  static Precision precision_of_rule(Precision precision) {
    return has_narrow_products(precision) ? Precision::bf16 : precision;
  }

  double elements(std::size_t layer) const {
    return layers_[layer].activation_bytes_per_sample / fp32_bytes_of_element;
  }

  double imbalance(std::size_t layer) const { return is_of_expert(layers_[layer]) ? facts_.expert_imbalance : 1; }

  double bytes(std::size_t layer) const {
    return elements(layer) * bytes_of_element(facts_.precision) * imbalance(layer);
  }

  bool is_loss_of_logits(std::size_t layer) const {
    return layers_[layer].kind == "loss" && layer > 0 && layers_[layer - 1].kind != "loss";
  }

  /// Whether the layer's output is the logits, which count at the loss.
  bool makes_logits(std::size_t layer) const { return layer + 1 < layers_.size() && is_loss_of_logits(layer + 1); }

  bool begins_expert(std::size_t layer) const {
    const auto& name = layers_[layer].name;
    const auto end = name.rfind('.');
    return is_of_expert(layers_[layer]) &&
           (layer == 0 || layers_[layer - 1].name.substr(0, end) != name.substr(0, end));
  }

  /// The tokens that are sorted to an expert are as wide as what its last layer returns.
  double sorted_bytes(std::size_t first) const {
    const auto expert = layers_[first].name.substr(0, layers_[first].name.rfind('.') + 1);
    std::size_t last = first;
    while (last + 1 < layers_.size() && layers_[last + 1].name.starts_with(expert)) ++last;
    return bytes(last);
  }

  /// A frozen product needs its weights only, and what has no backward needs nothing.
  bool needs_nothing(const Layer& layer) const {
    const bool is_product = layer.kind == "linear" || layer.kind.starts_with("conv") || layer.kind == "depthwise";
    return layer.backward == LayerBackward::none || (layer.backward == LayerBackward::input_only && is_product);
  }

  Needed needed_by(std::size_t layer) const {
    const auto& kind = layers_[layer].kind;
    if (needs_nothing(layers_[layer])) return {};
    const auto word = last_word_of(layers_[layer].name);
    if (kind == "activation") return needed_by_activation(layer, word);
    if (kind == "attention") return needed_by_attention(layer, word);
    if (kind == "elementwise") return needed_by_elements(layer, word);
    if (kind == "pool") {
      const bool is_maximum = word.find("max") != std::string::npos;
      return {inputs_[layer], is_maximum ? index_bytes * elements(layer) : 0};
    }
    if (kind == "embedding" || kind == "loss") return {};
    if (begins_expert(layer)) return {{}, sorted_bytes(layer)};
    if (is_of_expert(layers_[layer]) && word == "up") return {}; // reads the same sorted tokens as the gate
    return {inputs_[layer], 0};
  }

  Needed needed_by_activation(std::size_t layer, const std::string& word) const {
    if (word == "router_softmax") return {{}, router_bytes * elements(layer)};
    if (keeps_its_output(word)) return {{layer}, 0};
    return {inputs_[layer], 0};
  }

  Needed needed_by_attention(std::size_t layer, const std::string& word) const {
    Needed needed{inputs_[layer], 0};
    if (word == "scores" || word == "context") return needed;
    needed.outputs.push_back(layer);
    return needed;
  }

  Needed needed_by_elements(std::size_t layer, const std::string& word) const {
    if (word.starts_with("dropout")) return {{}, mask_bytes * elements(layer)};
    if (word != "multiply") return {};
    if (facts_.fused_activation && inputs_[layer].size() > 1) return {{inputs_[layer].back()}, 0};
    return {inputs_[layer], 0};
  }

  /// Adds a layer's output to what is kept, once, at the layer that needs it.
  void keep(std::size_t output, std::size_t at) {
    if (is_kept_[output] || makes_logits(output)) return;
    is_kept_[output] = true;
    counted_[at].kept += bytes(output);
  }

  /// The same for what is there only while its block is computed again.
  void make_again(std::size_t output) {
    if (is_kept_[output] || is_made_again_[output]) return;
    is_made_again_[output] = true;
    made_again_ += bytes(output);
  }

  /// Whether an input of a layer that is computed again comes from outside of what is computed again with it.
  bool comes_from_outside(std::size_t input, std::size_t layer) const {
    return !again_[input] || unit_of_[input] != unit_of_[layer];
  }

  void count(std::size_t layer) {
    const bool by_operations = facts_.recompute == Recompute::alternate_matmuls && unit_of_[layer] != "root";
    const auto needed = needed_by(layer);
    if (by_operations)
      count_by_operations(layer, needed);
    else if (again_[layer])
      count_again(layer, needed);
    else {
      for (const auto output : needed.outputs) keep(output, layer);
      counted_[layer].kept += needed.own_bytes;
    }
    const bool is_made_again = by_operations || again_[layer];
    counted_[layer].working = gradients_at(layer) + (is_made_again ? made_again_ : 0);
  }

  void count_again(std::size_t layer, const Needed& needed) {
    for (const auto input : inputs_[layer])
      if (comes_from_outside(input, layer)) keep(input, layer);
    for (const auto output : needed.outputs) make_again(output);
    made_again_ += needed.own_bytes;
  }

  void count_by_operations(std::size_t layer, const Needed& needed) {
    for (const auto input : inputs_[layer])
      if (unit_of_[input] != unit_of_[layer]) keep(input, layer);
    if (!again_[layer]) keep(layer, layer);
    for (const auto output : needed.outputs) make_again(output);
    made_again_ += needed.own_bytes;
  }

  /// Gradients while backward is at a layer: of its output, of its inputs, and of the sum around its part of the block.
  double gradients_at(std::size_t layer) const {
    double sum = bytes(layer);
    for (const auto input : inputs_[layer]) sum += bytes(input);
    return unit_of_[layer] == "root" ? sum : sum + bytes_around_[layer];
  }

  /// For each layer of a block the output of the next sum, whose gradient also goes around the layer.
  void find_sums() {
    bytes_around_.assign(layers_.size(), 0);
    for (std::size_t l = layers_.size(); l-- > 0;) {
      const auto& layer = layers_[l];
      const bool is_sum = layer.kind == "elementwise" && last_word_of(layer.name).starts_with("add");
      if (is_sum)
        bytes_around_[l] = bytes(l);
      else if (l + 1 < layers_.size() && unit_of_[l + 1] == unit_of_[l])
        bytes_around_[l] = bytes_around_[l + 1];
    }
  }

  const std::vector<Layer>& layers_;
  const KeptFacts& facts_;
  std::vector<std::vector<std::size_t>> inputs_;
  std::vector<bool> again_;
  std::vector<bool> is_kept_;
  std::vector<bool> is_made_again_;
  std::vector<std::string> unit_of_;
  std::vector<double> bytes_around_;
  std::vector<LayerMemory> counted_;
  double made_again_ = 0; ///< of this block so far
};

} // namespace

std::vector<LayerMemory> layer_memory(const Model& model, const KeptFacts& facts) {
  return Counter(model, facts).count();
}

KeptOfLayers kept_of_layers(const std::vector<LayerMemory>& layers, std::size_t first, std::size_t end) {
  KeptOfLayers sums;
  double most = -1;
  for (std::size_t l = first; l < end; ++l) {
    sums.kept += layers[l].kept;
    const double here = sums.kept + layers[l].working + layers[l].loss;
    if (here <= most) continue;
    most = here;
    sums.peak = {sums.kept, layers[l].working, layers[l].loss};
  }
  return sums;
}

} // namespace ddlsim
