#include "own/layer_list.hpp"

#include <utility>

namespace ddlsim {
namespace {

constexpr double bytes_a_number = 4; ///< bytes of fp32, which every table uses

/// FLOP for each element, as `ddltrain describe` counts them.
constexpr double layer_norm_flop = 8;
constexpr double rms_norm_flop = 4;
constexpr double dropout_flop = 2;
constexpr double log_softmax_flop = 5;

ParameterTensor tensor_of(const std::string& name, std::vector<long> shape) {
  double bytes = bytes_a_number;
  for (const long length : shape) bytes *= static_cast<double>(length);
  return {name, std::move(shape), bytes};
}

double product_of(long in, long out) {
  return static_cast<double>(in) * static_cast<double>(out);
}

} // namespace

Layer& LayerList::add(const std::string& name, const std::string& kind, double flop, double outputs) {
  model_.layers.push_back({name, kind, flop, bytes_a_number * outputs, {}, experts_, {}});
  return model_.layers.back();
}

std::vector<long> LayerList::of_experts(std::vector<long> shape) const {
  if (experts_ > 0) shape.insert(shape.begin(), experts_);
  return shape;
}

Model LayerList::take() {
  model_.parameters = model_.size_bytes() / bytes_a_number;
  return std::exchange(model_, {});
}

void LayerList::embedding(const std::string& name, double states, long rows, long width) {
  auto& layer = add(name, "embedding", 0, states * static_cast<double>(width));
  layer.tensors.push_back(tensor_of(name + ".weight", {rows, width}));
}

void LayerList::tied_linear(const std::string& name, double states, long in, long out, bool bias) {
  auto& layer = add(name, "linear", 2 * states * product_of(in, out), states * static_cast<double>(out));
  if (bias) layer.tensors.push_back(tensor_of(name + ".bias", of_experts({out})));
}

void LayerList::linear(const std::string& name, double states, long in, long out, bool bias) {
  tied_linear(name, states, in, out, bias);
  auto& tensors = model_.layers.back().tensors;
  tensors.insert(tensors.begin(), tensor_of(name + ".weight", of_experts({out, in})));
}

void LayerList::layer_norm(const std::string& name, double states, long width, bool bias) {
  const double elements = states * static_cast<double>(width);
  auto& layer = add(name, "norm", layer_norm_flop * elements, elements);
  layer.tensors.push_back(tensor_of(name + ".weight", {width}));
  if (bias) layer.tensors.push_back(tensor_of(name + ".bias", {width}));
}

void LayerList::add_parameter(const std::string& word, const std::vector<long>& shape) {
  auto& layer = model_.layers.back();
  layer.tensors.push_back(tensor_of(layer.name + "." + word, shape));
}

void LayerList::rms_norm(const std::string& name, double states, long width) {
  const double elements = states * static_cast<double>(width);
  auto& layer = add(name, "norm", rms_norm_flop * elements, elements);
  layer.tensors.push_back(tensor_of(name + ".weight", {width}));
}

void LayerList::each(const std::string& name, const std::string& kind, double elements, double flop) {
  add(name, kind, flop * elements, elements);
}

void LayerList::dropout(const std::string& name, double elements, double chance) {
  if (chance > 0) each(name, "elementwise", elements, dropout_flop);
}

void LayerList::attention(const std::string& name, double flop, double outputs, const AttentionFacts& facts) {
  add(name, "attention", flop, outputs).attention = facts;
}

void LayerList::causal_filter(const std::string& name, double states, long channels, long length, bool bias) {
  auto& layer =
      add(name, "depthwise", 2 * states * product_of(channels, length), states * static_cast<double>(channels));
  layer.tensors.push_back(tensor_of(name + ".weight", {channels, 1, length}));
  if (bias) layer.tensors.push_back(tensor_of(name + ".bias", {channels}));
}

void LayerList::scan(const std::string& name, double flop, double outputs, long heads) {
  auto& layer = add(name, "scan", flop, outputs);
  for (const char* word : {".decay", ".skip", ".step"}) layer.tensors.push_back(tensor_of(name + word, {heads}));
}

void LayerList::patches(const std::string& name, double count, long patch, long channels, long width) {
  const double weights = product_of(patch, patch) * product_of(channels, width);
  auto& layer = add(name, "conv", 2 * count * weights, count * static_cast<double>(width));
  layer.tensors.push_back(tensor_of(name + ".weight", {width, channels, patch, patch}));
  layer.tensors.push_back(tensor_of(name + ".bias", {width}));
}

void LayerList::parameter(const std::string& name, const std::vector<long>& shape, double outputs) {
  auto& layer = add(name, "embedding", outputs, outputs);
  layer.tensors.push_back(tensor_of(name + ".weight", shape));
}

void LayerList::loss(const std::string& name, double rows, long classes) {
  each(name + ".log_softmax", "loss", rows * static_cast<double>(classes), log_softmax_flop);
  add(name + ".loss", "loss", rows, 1);
}

} // namespace ddlsim
