#pragma once
// What a layer does, in the words of the layer tables.

#include <string_view>

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

/// The word a layer table uses: "conv3x3", "norm", ...
std::string_view name_of(LayerKind kind);

} // namespace ddltrain
