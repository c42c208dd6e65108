#pragma once
// What synchronisation needs of a library that moves gradients: MPI on host memory, NCCL on device memory.

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ddltrain {

/// A send or receive under way; made by start_send and start_receive, finished by wait. Empty when already finished.
struct Transfer {
  std::uint64_t handle = 0; ///< the library's own; only the communicator that made it can read it
};

/// A group of ranks that talk to each other; fp32 elements in the memory the library works on. Calls block until the
/// memory may be used again, unless they are named start_. All ranks make the same collective calls in the same order.
/// Throws RunError when the library fails.
class Communicator {
public:
  Communicator() = default;
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;
  virtual ~Communicator() = default;

  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Returns when every rank has called it.
  virtual void barrier() = 0;
  /// `root`'s elements to all.
  virtual void broadcast(float* data, std::size_t count, int root) = 0;
  /// The sum over the ranks in place of each rank's elements, by the library's own algorithm; the same bits on all.
  virtual void all_reduce(float* data, std::size_t count) = 0;

  /// The memory must stay until wait. Messages between two ranks with one tag arrive in the order sent.
  virtual Transfer start_send(const float* data, std::size_t count, int to, int tag) = 0;
  virtual Transfer start_receive(float* data, std::size_t count, int from, int tag) = 0;
  /// Returns when all are finished, and empties them.
  virtual void wait(std::vector<Transfer>& transfers) = 0;
};

} // namespace ddltrain
