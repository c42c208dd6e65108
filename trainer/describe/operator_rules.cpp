#include "trainer/describe/operator_rules.hpp"

#include <ATen/core/Tensor.h>

#include <iterator>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace ddltrain {
namespace {

// Operations an element, as trainer/layers/units_activation.cpp counts them; a transcendental function counts as one.
constexpr std::int64_t normalise =
    1 + 3 + 2; ///< mean, variance, (x - mean) / deviation; in training, as all tables are

struct OperatorRows {
  using enum LayerKind;
  using enum WorkForm;
  static constexpr std::pair<std::string_view, OperatorRule> all[] = {
      {"conv1d", {conv, convolution}},
      {"conv2d", {conv, convolution}},
      {"conv3d", {conv, convolution}},
      {"convolution", {conv, convolution}},
      {"_convolution", {conv, convolution}},
      {"conv_transpose1d", {conv, transposed}},
      {"conv_transpose2d", {conv, transposed}},
      {"conv_transpose3d", {conv, transposed}},
      {"linear", {linear, product, 0}},
      {"matmul", {linear, product, 0}},
      {"mm", {linear, product, 0}},
      {"bmm", {linear, product, 0}},
      {"addmm", {linear, product, 1}},
      {"baddbmm", {linear, product, 1}},
      {"batch_norm", {norm, normalisation, 1}},
      {"instance_norm", {norm, normalisation, 1}},
      {"layer_norm", {norm, normalisation, 2}},
      {"group_norm", {norm, normalisation, 2}},
      {"relu", {activation, per_output, 1}},
      {"relu6", {activation, per_output, 2}},
      {"hardtanh", {activation, per_output, 2}},
      {"clamp", {activation, per_output, 2}},
      {"clamp_min", {activation, per_output, 1}},
      {"leaky_relu", {activation, per_output, 2}},
      {"prelu", {activation, per_output, 2}},
      {"elu", {activation, per_output, 3}},
      {"selu", {activation, per_output, 3}},
      {"gelu", {activation, per_output, 5}},
      {"tanh", {activation, per_output, 1}},
      {"sigmoid", {activation, per_output, 3}},
      {"silu", {activation, per_output, 4}},
      {"mish", {activation, per_output, 4}},
      {"softplus", {activation, per_output, 3}},
      {"hardsigmoid", {activation, per_output, 4}},
      {"hardswish", {activation, per_output, 5}},
      {"glu", {activation, per_output, 4}},
      {"softmax", {activation, per_output, 5}},
      {"log_softmax", {loss, per_output, 5}},
      {"nll_loss_nd", {loss, per_output, 1}},
      {"nll_loss", {loss, per_output, 1}},
      {"mse_loss", {loss, per_input, 3}},
      {"max_pool1d", {pool, per_window}},
      {"max_pool2d", {pool, per_window}},
      {"max_pool3d", {pool, per_window}},
      {"avg_pool1d", {pool, per_window}},
      {"avg_pool2d", {pool, per_window}},
      {"avg_pool3d", {pool, per_window}},
      {"adaptive_avg_pool1d", {pool, per_input, 1}},
      {"adaptive_avg_pool2d", {pool, per_input, 1}},
      {"adaptive_avg_pool3d", {pool, per_input, 1}},
      {"adaptive_max_pool1d", {pool, per_input, 1}},
      {"adaptive_max_pool2d", {pool, per_input, 1}},
      {"mean", {elementwise, per_input, 1}},
      {"sum", {elementwise, per_input, 1}},
      {"var", {elementwise, per_input, 3}},
      {"std", {elementwise, per_input, 3}},
      {"embedding", {embedding, per_output, 0}},
      {"embedding_bag", {embedding, per_output, 1}},
      {"dropout", {elementwise, per_output, 2}},
      {"feature_dropout", {elementwise, per_output, 2}},
      {"add", {elementwise, per_output, 1}},
      {"sub", {elementwise, per_output, 1}},
      {"rsub", {elementwise, per_output, 1}},
      {"mul", {elementwise, per_output, 1}},
      {"div", {elementwise, per_output, 1}},
      {"pow", {elementwise, per_output, 1}},
      {"square", {elementwise, per_output, 1}},
      {"sqrt", {elementwise, per_output, 1}},
      {"rsqrt", {elementwise, per_output, 2}},
      {"reciprocal", {elementwise, per_output, 1}},
      {"exp", {elementwise, per_output, 1}},
      {"log", {elementwise, per_output, 1}},
      {"erf", {elementwise, per_output, 1}},
      {"sin", {elementwise, per_output, 1}},
      {"cos", {elementwise, per_output, 1}},
      {"neg", {elementwise, per_output, 1}},
      {"abs", {elementwise, per_output, 1}},
      {"maximum", {elementwise, per_output, 1}},
      {"minimum", {elementwise, per_output, 1}},
      {"where", {elementwise, per_output, 1}},
      {"masked_fill", {elementwise, per_output, 1}},
      {"addcmul", {elementwise, per_output, 3}},
      {"cumsum", {elementwise, per_output, 1}},
      {"cat", {elementwise, per_output, 0}},
      {"stack", {elementwise, per_output, 0}},
      {"constant_pad_nd", {elementwise, per_output, 0}},
      {"index_select", {elementwise, per_output, 0}},
      {"gather", {elementwise, per_output, 0}},
      {"roll", {elementwise, per_output, 0}},
      {"clone", {elementwise, per_output, 0}},
      {"pixel_shuffle", {elementwise, per_output, 0}},
      {"upsample_nearest2d", {elementwise, per_output, 0}},
      {"upsample_bilinear2d", {elementwise, per_output, 7}}, // four products and three sums
  };
};

const std::map<std::string_view, OperatorRule>& rules() {
  static const std::map<std::string_view, OperatorRule> by_name(std::begin(OperatorRows::all),
                                                                std::end(OperatorRows::all));
  return by_name;
}

/// Returns the plain name: "aten::relu_" does in place what "aten::relu" does.
std::string plain_operator(std::string_view name) {
  constexpr std::string_view space = "aten::";
  if (name.starts_with(space)) name.remove_prefix(space.size());
  if (name.size() > 1 && name.ends_with('_') && !name.starts_with('_')) name.remove_suffix(1);
  return std::string(name);
}

at::Tensor tensor_at(const OperatorCall& call, std::size_t input) {
  return input < call.inputs.size() && call.inputs[input].isTensor() ? call.inputs[input].toTensor() : at::Tensor();
}

/// Returns the size of the last dimension; 0 for a tensor without one.
std::int64_t row_length(const at::Tensor& tensor) {
  return tensor.defined() && tensor.dim() > 0 ? tensor.size(-1) : 0;
}

bool every_size_is(const at::Tensor& filter, std::int64_t size) {
  for (std::int64_t dimension = 2; dimension < filter.dim(); ++dimension)
    if (filter.size(dimension) != size) return false;
  return true;
}

LayerKind kind_of_convolution(const OperatorCall& call) {
  const auto input = tensor_at(call, 0);
  const auto filter = tensor_at(call, 1);
  constexpr std::int64_t counted_images = 4;
  if (!input.defined() || !filter.defined() || filter.dim() < 3) return LayerKind::conv;
  const bool batched = input.dim() == filter.dim();
  const auto channels = input.size(batched ? 1 : 0);
  if (channels > 1 && filter.size(1) == 1 && filter.size(0) % channels == 0) return LayerKind::depthwise;
  if (filter.dim() == counted_images) return kind_of_filter(filter.size(2), filter.size(3));
  return every_size_is(filter, 1) ? LayerKind::conv1x1 : LayerKind::conv;
}

/// Returns the number of weights for one element of the output, or for a transposed convolution of the input.
std::int64_t filter_size(const OperatorCall& call) {
  const auto filter = tensor_at(call, 1);
  return filter.defined() && filter.dim() > 0 && filter.size(0) > 0 ? filter.numel() / filter.size(0) : 0;
}

bool is_transposed(const OperatorCall& call, WorkForm form) {
  constexpr std::size_t flag_index = 6; // index of the flag `transposed` of aten::convolution
  if (form == WorkForm::transposed) return true;
  return call.inputs.size() > flag_index && call.inputs[flag_index].isBool() && call.inputs[flag_index].toBool();
}

std::int64_t window_size(const OperatorCall& call) {
  if (call.inputs.size() < 2 || !call.inputs[1].isIntList()) return 0;
  const auto sizes = call.inputs[1].toIntVector();
  std::int64_t elements = 1;
  for (const auto size : sizes) elements *= size;
  const bool is_square = sizes.size() == 1 && call.output.dim() >= 4;
  return is_square ? elements * elements : elements;
}

/// Returns whether the operator is a mean over height and width of images, which is a pool.
bool is_over_image(const OperatorCall& call) {
  const auto input = tensor_at(call, 0);
  constexpr std::int64_t counted_images = 4;
  if (!input.defined() || input.dim() != counted_images || call.inputs.size() < 2 || !call.inputs[1].isIntList())
    return false;
  std::set<std::int64_t> over;
  for (const auto dimension : call.inputs[1].toIntVector()) over.insert((dimension + counted_images) % counted_images);
  return over == std::set<std::int64_t>{2, 3};
}

std::int64_t product_flop(const OperatorRule& rule, const OperatorCall& call) {
  return 2 * call.output.numel() * row_length(tensor_at(call, static_cast<std::size_t>(rule.each)));
}

std::int64_t normalisation_flop(const OperatorRule& rule, const OperatorCall& call) {
  const auto scale = static_cast<std::size_t>(rule.each);
  const std::int64_t scales = tensor_at(call, scale).defined() ? 1 : 0;
  const std::int64_t shifts = tensor_at(call, scale + 1).defined() ? 1 : 0;
  return (normalise + scales + shifts) * call.output.numel();
}

} // namespace

std::optional<OperatorRule> rule_of(std::string_view name) {
  const auto found = rules().find(plain_operator(name));
  return found == rules().end() ? std::nullopt : std::optional(found->second);
}

bool does_no_work(std::string_view name) {
  static const std::set<std::string, std::less<>> names{
      "copy",  "fill",       "zero",   "to",       "_to_copy", "item",       "_local_scalar_dense", "contiguous",
      "empty", "empty_like", "detach", "set_data", "resize",   "zeros_like", "ones_like",           "lift_fresh"};
  return names.contains(plain_operator(name));
}

OperatorWork work_of(const OperatorRule& rule, const OperatorCall& call) {
  const auto input = tensor_at(call, 0);
  switch (rule.form) {
  case WorkForm::per_output:
    return {rule.kind, rule.each * call.output.numel()};
  case WorkForm::per_input:
    return {is_over_image(call) ? LayerKind::pool : rule.kind, input.defined() ? rule.each * input.numel() : 0};
  case WorkForm::per_window:
    return {rule.kind, window_size(call) * call.output.numel()};
  case WorkForm::convolution:
  case WorkForm::transposed:
    if (is_transposed(call, rule.form)) return {LayerKind::conv, 2 * filter_size(call) * input.numel()};
    return {kind_of_convolution(call), 2 * filter_size(call) * call.output.numel()};
  case WorkForm::product:
    return {call.has_weight ? LayerKind::linear : LayerKind::attention, product_flop(rule, call)};
  case WorkForm::normalisation:
    return {rule.kind, normalisation_flop(rule, call)};
  }
  return {};
}

} // namespace ddltrain
