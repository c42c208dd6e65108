#pragma once
// What ddltrain runs collectives by: its own ring, MPI's functions, NCCL's.

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/cuda/nccl.hpp"
#include "trainer/timing/collective_measurement.hpp"

#include <memory>

namespace ddltrain {

/// Returns ddltrain's ring over MPI messages, and MPI's own functions, in host memory for up to `most_elements`.
/// `ranks` must outlive them.
std::vector<CollectiveBackend> host_backends(MpiCommunicator& ranks, std::size_t most_elements);

/// The memory of one GPU and NCCL between the ranks' GPUs, on a CUDA stream of its own.
class NcclSide {
public:
  /// Chooses the GPU by the rank's place on its node. All ranks must call it. Throws RunError where something is
  /// missing.
  NcclSide(MpiCommunicator& ranks, const NodeMap& nodes, std::size_t most_elements);
  ~NcclSide();
  NcclSide(const NcclSide&) = delete;
  NcclSide& operator=(const NcclSide&) = delete;

  CollectiveBackend backend(); ///< this object must outlive it
  /// Throws RunError when NCCL failed after a call had returned. May be called from any thread.
  void check() const { nccl_.check_communicator(communicator_); }
  std::string software() const; ///< versions of NCCL and CUDA

private:
  void start(Collective collective, std::size_t count);
  std::vector<float> result(Collective collective, std::size_t count) const;

  CudaRuntime cuda_;
  Nccl nccl_;
  int rank_;
  int ranks_;
  Nccl::Handle communicator_ = nullptr;
  CudaRuntime::Stream stream_ = nullptr;
  float* data_ = nullptr;
};

} // namespace ddltrain
