#include "sim/compute/kernel_work.hpp"

#include "sim/compute/layer_times.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

constexpr double bytes_of_fp32 = 4;
constexpr double flop_of_chosen = 2; ///< of a value of an expert's output: a weight and a sum

LayerKernel kernel_of(const Layer& layer) {
  if (layer.kind == "conv1x1") return LayerKernel::convolution_1x1;
  if (layer.kind == "conv3x3") return LayerKernel::convolution_3x3;
  if (layer.kind == "conv" || layer.kind == "depthwise") return LayerKernel::convolution;
  if (layer.kind == "linear") return LayerKernel::product;
  if (layer.kind == "loss") return LayerKernel::loss;
  if (layer.kind == "scan") return LayerKernel::scan;
  if (layer.kind == "elementwise" && layer.name.ends_with(".combine")) return LayerKernel::combine;
  if (layer.kind != "attention") return LayerKernel::pass;
  return layer.name.ends_with("fused") ? LayerKernel::fused_attention : LayerKernel::score_product;
}

/// Outputs of a row of a product: those of its weight, or of the word table that it shares.
double columns_of(const Layer& layer, double outputs, double tokens) {
  const std::size_t place = layer.experts > 0 ? 1 : 0; // experts' weights are [experts, outputs, inputs]
  const auto& tensors = layer.tensors.empty() ? layer.frozen : layer.tensors;
  if (!tensors.empty() && tensors.front().shape.size() > place)
    return static_cast<double>(tensors.front().shape[place]);
  return outputs / std::max(1.0, tokens);
}

bool is_same_work(const LayerWork& a, const LayerWork& b) {
  return a.kernel == b.kernel && a.flop == b.flop && a.outputs == b.outputs && a.columns == b.columns &&
         a.in_8_bits == b.in_8_bits && a.experts == b.experts && a.attention == b.attention && a.biased == b.biased &&
         a.chosen == b.chosen && a.backward == b.backward;
}

/// Looks from the end, because the layers of a block resemble those of the block before.
void add_layer(std::vector<LayerWork>& layers, const LayerWork& work) {
  const auto same =
      std::find_if(layers.rbegin(), layers.rend(), [&](const LayerWork& one) { return is_same_work(one, work); });
  if (same == layers.rend()) return layers.push_back(work);
  ++same->count;
}

} // namespace

double passes_of(LayerBackward backward) {
  switch (backward) {
  case LayerBackward::whole:
    return 3;
  case LayerBackward::input_only:
    return 2;
  case LayerBackward::none:
    return 1;
  }
  return 3;
}

KernelWork kernel_work(const Model& model) {
  KernelWork work;
  work.parameters = model.parameters;
  work.tokens = model.tokens_per_sample();
  work.layer_count = static_cast<double>(model.layers.size());
  const auto in_8_bits = layers_in_8_bits(model);
  for (std::size_t l = 0; l < model.layers.size(); ++l) {
    const auto& layer = model.layers[l];
    const auto kernel = kernel_of(layer);
    const double outputs = layer.activation_bytes_per_sample / bytes_of_fp32;
    const double columns = kernel == LayerKernel::product ? columns_of(layer, outputs, work.tokens) : 0;
    const double experts = std::max(1.0, static_cast<double>(layer.experts));
    const double chosen =
        kernel == LayerKernel::combine && outputs > 0 ? layer.forward_flop_per_sample / flop_of_chosen / outputs : 0;
    add_layer(work.layers, {kernel, layer.forward_flop_per_sample, outputs, columns, in_8_bits[l], 1, experts,
                            layer.attention, chosen, layer.experts > 0 && layer.tensors.size() > 1, layer.backward});
    work.passes += passes_of(layer.backward);
    work.attends = work.attends || layer.kind == "attention" || layer.kind == "scan";
    work.mixes = work.mixes || layer.experts > 0;
  }
  return work;
}

WorkSplit split_of(const Model& model, const Strategy& strategy) {
  const bool mixes =
      std::any_of(model.layers.begin(), model.layers.end(), [](const Layer& l) { return l.experts > 0; });
  if (!mixes) return {};
  if (is_sharded(strategy.name)) return {1.0 * std::max(1, strategy.sharded.micro_batches), 1};
  if (!is_model_parallel(strategy.name)) return {};
  const auto& options = strategy.parallel;
  // each stage has a part of the layers, and runs all micro-batches through it
  return {1.0 * std::max(1, options.micro_batches) / std::max(1, options.pipeline), 1.0 * options.expert};
}

} // namespace ddlsim
