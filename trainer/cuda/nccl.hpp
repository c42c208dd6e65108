#pragma once
// NCCL, opened at run time, and what it writes about itself.

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

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
  /// The sum over the ranks of this rank's share of `device`, which has `own_count` elements for each rank, to `own`.
  /// Returns before it is done, as the next two do.
  void reduce_scatter(Handle communicator, const float* device, float* own, std::size_t own_count,
                      CudaRuntime::Stream stream) const;
  /// Every rank's `own_count` elements, by rank, to `device`.
  void all_gather(Handle communicator, const float* own, float* device, std::size_t own_count,
                  CudaRuntime::Stream stream) const;
  /// `root`'s elements to all, in place.
  void broadcast(Handle communicator, float* device, std::size_t count, int root, CudaRuntime::Stream stream) const;
  /// Throws RunError when work of this communicator failed after its call had returned (a network that broke, a rank
  /// that died). From any thread.
  void check_communicator(Handle communicator) const;

private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

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

  /// Rank 0's `data` to all, between what the default stream was given so far and what it is given from now on.
  /// Returns at once.
  void broadcast(float* data, std::size_t count);
  /// Throws RunError when NCCL failed after a call had returned. From any thread.
  void check() const { nccl_->check_communicator(communicator_); }

  /// Sums `data`, of which nothing is under way, and returns when that is done.
  void all_reduce_now(float* data, std::size_t count);

private:
  std::shared_ptr<const CudaRuntime> cuda_;
  std::shared_ptr<const Nccl> nccl_;
  int gpu_;
  Nccl::Handle communicator_ = nullptr;
  CudaRuntime::Stream stream_ = nullptr;
  CudaRuntime::Event computed_ = nullptr;
  CudaRuntime::Event done_ = nullptr;
};

/// NCCL's own words about how it connects GPUs, kept in memory of this process. NCCL_DEBUG that the user has set is
/// left alone, and its output too: then nothing is known here.
class NcclLog {
public:
  /// Sets NCCL's variables, so it comes before NCCL's first call and before other threads. on: false keeps nothing.
  explicit NcclLog(bool on);
  ~NcclLog();
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  /// What NCCL has written so far; "" when it keeps nothing.
  std::string text() const;

private:
  int file_ = -1; ///< -1: nothing is kept
};

} // namespace ddltrain
