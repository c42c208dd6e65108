#pragma once
// NCCL, opened at run time.

#include "trainer/cuda/cuda_runtime.hpp"

#include <memory>
#include <string>

namespace ddltrain {

/// NCCL's library. Throws RunError when it is missing or a call fails.
class Nccl {
public:
  Nccl();
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  std::string version() const; ///< "NCCL 2.28.9"
  /// What one rank draws and all give to join one communicator.
  std::string new_id() const;

  using Handle = void*;
  Handle join(const std::string& id, int rank, int ranks) const;
  void leave(Handle communicator) const;
  /// Sums over the ranks in place, as work of the stream: returns before it is done.
  void all_reduce(Handle communicator, float* device, std::size_t count, CudaRuntime::Stream stream) const;

private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

} // namespace ddltrain
