#include "sim/model/backward_shape.hpp"

#include <algorithm>
#include <cstddef>
#include <numeric>

namespace ddlsim {

BackwardShape backward_shape(const Model& model, const Gpu& gpu, const std::string& precision, double batch,
                             double bytes_per_parameter) {
  const auto times = roofline_layer_times(model, gpu, precision, batch);
  const double backward_sum = std::accumulate(times.begin(), times.end(), 0.0,
                                              [](double sum, const LayerTime& time) { return sum + time.backward_s; });
  int tensor = 0;
  for (const auto& layer : model.layers) tensor += static_cast<int>(layer.tensors.size());
  BackwardShape shape;
  shape.reserve(static_cast<std::size_t>(tensor));
  double done = 0;
  for (std::size_t l = model.layers.size(); l-- > 0;) {
    done += times[l].backward_s;
    const double share = backward_sum > 0 ? std::min(1.0, done / backward_sum) : 1.0;
    const auto& tensors = model.layers[l].tensors;
    for (std::size_t t = tensors.size(); t-- > 0;)
      shape.push_back({--tensor, tensors[t].size_bytes / 4 * bytes_per_parameter, share});
  }
  return shape;
}

ComputeProfile compute_profile(const BackwardShape& shape, double total_s, double forward_share) {
  ComputeProfile profile;
  profile.forward_s = forward_share * total_s;
  profile.backward_s = total_s - profile.forward_s;
  profile.tensors.reserve(shape.size());
  for (const auto& one : shape)
    profile.tensors.push_back({one.tensor, one.size_bytes, profile.forward_s + profile.backward_s * one.done});
  return profile;
}

} // namespace ddlsim
