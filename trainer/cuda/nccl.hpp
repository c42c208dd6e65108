#pragma once
// Opens NCCL at run time, and reads what NCCL writes about itself.

#include "trainer/cuda/cuda_runtime.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <memory>
#include <string>

namespace ddltrain {

/// The library NCCL. Throws RunError when it is missing or a call fails.
class Nccl {
public:
  Nccl();
  ~Nccl();
  Nccl(const Nccl&) = delete;
  Nccl& operator=(const Nccl&) = delete;

  std::string version() const; ///< such as "NCCL 2.28.9"
  /// Returns an id that one rank draws, and that all ranks give to join one communicator.
  std::string new_id() const;

  using Handle = void*;
  Handle join(const std::string& id, int rank, int ranks) const;
  void leave(Handle communicator) const;
  /// Sums over the ranks in place, as work of the stream. Returns before that is done.
  void all_reduce(Handle communicator, float* device, std::size_t count, CudaRuntime::Stream stream) const;
  /// Puts the sum over the ranks of this rank's share of `device` into `own`; `device` has `own_count` elements for
  /// each rank. Returns before that is done, as the next two functions do.
  void reduce_scatter(Handle communicator, const float* device, float* own, std::size_t own_count,
                      CudaRuntime::Stream stream) const;
  /// Puts every rank's `own_count` elements, by rank, into `device`.
  void all_gather(Handle communicator, const float* own, float* device, std::size_t own_count,
                  CudaRuntime::Stream stream) const;
  /// Sends `root`'s elements to all, in place.
  void broadcast(Handle communicator, float* device, std::size_t count, int root, CudaRuntime::Stream stream) const;
  /// Throws RunError when work of this communicator failed after its call had returned, because of a broken network or
  /// a dead rank. Any thread may call it.
  void check_communicator(Handle communicator) const;

private:
  struct Functions;
  std::unique_ptr<Functions> functions_;
};

/// Sums over the ranks in GPU memory by NCCL, with one GPU a rank, on a stream of its own. It runs beside what the
/// default stream, on which LibTorch computes, still has to do.
class NcclAllReduce final : public GroupReducer {
public:
  /// `gpu` is that of this rank. `id` is from Nccl::new_id(), drawn on one rank and given by all. All ranks must call
  /// it.
  NcclAllReduce(std::shared_ptr<const CudaRuntime> cuda, std::shared_ptr<const Nccl> nccl, int gpu,
                const std::string& id, int rank, int ranks);
  ~NcclAllReduce() override;

  /// Sums `data` once the default stream has done what it was given so far. Returns at once. Any thread may call it,
  /// one at a time.
  void start(float* data, std::size_t count) override;
  /// Makes the work that the default stream is given from now on wait for every sum that was started. Returns at once.
  void finish() override;

  /// Sends rank 0's `data` to all, between what the default stream was given so far and what it is given from now on.
  /// Returns at once.
  void broadcast(float* data, std::size_t count);
  /// Throws RunError when NCCL failed after a call had returned. Any thread may call it.
  void check() const { nccl_->check_communicator(communicator_); }

  /// Sums `data`, on which no work is under way, and returns when that is done.
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

/// NCCL's own text about how it connects GPUs, kept in memory of this process. If the user has set NCCL_DEBUG, neither
/// it nor its output is changed, and nothing is known here.
class NcclLog {
public:
  /// Sets NCCL's variables, so call it before NCCL's first call and before there are other threads. If `on` is false,
  /// nothing is kept.
  explicit NcclLog(bool on);
  ~NcclLog();
  NcclLog(const NcclLog&) = delete;
  NcclLog& operator=(const NcclLog&) = delete;

  /// Returns what NCCL has written so far; "" when nothing is kept.
  std::string text() const;

private:
  int file_ = -1; ///< descriptor of the file; -1: nothing is kept
};

} // namespace ddltrain
