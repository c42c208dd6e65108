#pragma once
// The bucket rule of PyTorch's DistributedDataParallel, as the simulator and the trainer both apply it.

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Where each bucket ends, one past its last tensor. Tensors in the order their gradients are ready fill a bucket until
/// it holds first_bucket_bytes, later ones bucket_bytes: the tensor that reaches the limit closes its bucket, so a
/// bucket may be larger (torch/csrc/distributed/c10d/reducer.cpp, compute_bucket_assignment_by_size).
inline std::vector<std::size_t> bucket_ends(const std::vector<double>& tensor_bytes, double first_bucket_bytes,
                                            double bucket_bytes) {
  std::vector<std::size_t> ends;
  double open_bytes = 0;
  for (std::size_t tensor = 0; tensor < tensor_bytes.size(); ++tensor) {
    open_bytes += tensor_bytes[tensor];
    const bool full = open_bytes >= (ends.empty() ? first_bucket_bytes : bucket_bytes);
    if (!full && tensor + 1 < tensor_bytes.size()) continue;
    ends.push_back(tensor + 1);
    open_bytes = 0;
  }
  return ends;
}

} // namespace ddlsim
