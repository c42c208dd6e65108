#include "sim/model/input.hpp"

#include <algorithm>

namespace ddlsim {

double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node) {
  const double bytes = samples_per_node * input.bytes_per_sample;
  double longest_s = 0;
  if (input.loader_samples_per_s > 0) longest_s = samples_per_node / input.loader_samples_per_s;
  if (storage.read_bandwidth_Bps > 0) longest_s = std::max(longest_s, bytes / storage.read_bandwidth_Bps);
  if (input.shared_read_Bps > 0) longest_s = std::max(longest_s, nodes * bytes / input.shared_read_Bps);
  return longest_s;
}

} // namespace ddlsim
