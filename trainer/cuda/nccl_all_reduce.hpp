#pragma once
#include "trainer/cuda/nccl.hpp"
#include "trainer/synchronisation/group_reducer.hpp"

namespace ddltrain {

/// Sums over the ranks in GPU memory by NCCL, one GPU a rank, on a stream of its own: beside what the default stream,
/// where LibTorch computes, has still to do.
class NcclAllReduce final : public GroupReducer {
public:
  /// gpu: this rank's. id: of Nccl::new_id, drawn on one rank and given by all. Collective.
  NcclAllReduce(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl, int gpu,
                const std::string& id, int rank, int ranks);
  ~NcclAllReduce() override;

  /// Sums `data`, once the default stream has done what it was given so far. Returns at once; from any thread, one at a
  /// time.
  void start(float* data, std::size_t count) override;
  /// What the default stream is given from now on waits for every sum started. Returns at once.
  void finish() override;

  /// Sums `data`, of which nothing is under way, and returns when that is done.
  void sum_now(float* data, std::size_t count);

private:
  std::shared_ptr<const CudaRuntime> cuda_;
  std::shared_ptr<const Nccl> nccl_;
  int gpu_;
  Nccl::Handle communicator_ = nullptr;
  CudaRuntime::Stream stream_ = nullptr;
  CudaRuntime::Event computed_ = nullptr;
  CudaRuntime::Event summed_ = nullptr;
};

} // namespace ddltrain
