#pragma once
// What a layer does, in the words of the layer tables.

#include <ATen/core/Tensor.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ddltrain {
enum class LayerKind {
  conv1x1,
  conv3x3,
  conv,
  depthwise,
  linear,
  norm,
  activation,
  pool,
  embedding,
  attention,
  elementwise,
  loss
};

/// Returns the layer's word in layer tables: "conv3x3", "norm", ...
std::string_view name_of(LayerKind kind);

// A layer as data: its tensors, what it computes, and how much work that is. The sources that define layers include
// this and single ATen operators only: the full module header of LibTorch costs 15 s a source.

class Unit;
using UnitPtr = std::shared_ptr<Unit>;
using Tensors = std::vector<at::Tensor>;

struct NamedTensor {
  std::string name;
  at::Tensor tensor;
};

struct LayerDefinition {
  LayerKind kind = LayerKind::elementwise;
  std::vector<NamedTensor> parameters; ///< trained tensors
  std::vector<NamedTensor> buffers;    ///< tensors that are saved and moved with the layer, but not trained
  /// tensors that are moved with the layer, and are neither changed nor shared
  std::vector<std::shared_ptr<at::Tensor>> constants;
  std::function<at::Tensor(const Tensors& inputs, bool training)> compute;
  /// Forward work of one call on the whole batch, from the layer's attributes and the tensors it met. A multiply and
  /// an add are two; the bias of a convolution or matrix product is not counted, as published counts do not.
  std::function<std::int64_t(const Tensors& inputs, const at::Tensor& output)> flop;
};

/// The layer as a unit that networks are composed of.
UnitPtr make_layer(LayerDefinition definition);

/// Returns a flop function for work that is proportional to the output: `each` operations per element.
std::function<std::int64_t(const Tensors&, const at::Tensor&)> flop_per_output_element(std::int64_t each);

/// Returns conv1x1, conv3x3 or conv, the kind of a filter that sees all channels.
LayerKind kind_of_filter(std::int64_t height, std::int64_t width);

/// Trained filters with bias: weight [out, in, size, size], bias [out] of zeros.
struct Filters {
  at::Tensor weight;
  at::Tensor bias;
};
Filters square_filters(std::int64_t in_channels, std::int64_t out_channels, std::int64_t size);

/// Returns a layer of these filters with the work of their convolution; the caller sets what it computes.
LayerDefinition layer_of(const Filters& filters, LayerKind kind);

/// An uninitialised fp32 tensor filled uniformly in +-sqrt(6 / fan_in): He's initialisation for layers before a ReLU
/// (arXiv 1502.01852), which keeps activations of one size through deep networks without normalisation (VGG).
at::Tensor he_uniform(const std::vector<std::int64_t>& shape, std::int64_t fan_in);

} // namespace ddltrain
