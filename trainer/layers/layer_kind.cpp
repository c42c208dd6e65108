#include "trainer/layers/layer_kind.hpp"

#include <stdexcept>

namespace ddltrain {

std::string_view name_of(LayerKind kind) {
  switch (kind) {
  case LayerKind::conv1x1:
    return "conv1x1";
  case LayerKind::conv3x3:
    return "conv3x3";
  case LayerKind::conv:
    return "conv";
  case LayerKind::depthwise:
    return "depthwise";
  case LayerKind::linear:
    return "linear";
  case LayerKind::norm:
    return "norm";
  case LayerKind::activation:
    return "activation";
  case LayerKind::pool:
    return "pool";
  case LayerKind::embedding:
    return "embedding";
  case LayerKind::attention:
    return "attention";
  case LayerKind::elementwise:
    return "elementwise";
  case LayerKind::loss:
    return "loss";
  }
  throw std::logic_error("a layer kind without a name");
}

} // namespace ddltrain
