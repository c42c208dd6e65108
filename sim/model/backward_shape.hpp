#pragma once
// What of a compute profile does not depend on how long compute takes.

#include "sim/model/compute.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One gradient tensor, and how much of backward is done when it is ready.
struct TensorShare {
  int tensor = 0;        ///< index in creation order, as in ReadyTensor
  double size_bytes = 0; ///< on the wire
  double done = 0;       ///< 0 to 1
};

/// In the order they become ready.
using BackwardShape = std::vector<TensorShare>;

/// By roofline_layer_times(). For worlds that differ in the times only, made once.
BackwardShape backward_shape(const Model& model, const Gpu& gpu, const std::string& precision, double batch,
                             double bytes_per_parameter);

/// The profile whose total is `total_s`, split by `forward_share`.
ComputeProfile compute_profile(const BackwardShape& shape, double total_s, double forward_share);

} // namespace ddlsim
