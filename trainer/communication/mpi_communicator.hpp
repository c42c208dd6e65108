#pragma once
// The functions of MPI that synchronisation needs. No other header of the trainer includes MPI.

#include "trainer/communication/wait_policy.hpp"

#include <cstddef>
#include <cstdint>
#include <list>
#include <memory>
#include <mpi.h>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ddltrain {

/// A send or receive under way. start_send and start_receive make it, and wait finishes it. It is empty when it has
/// finished.
struct Transfer {
  std::uint64_t handle = 0; ///< handle of MPI
};

/// A group of ranks that talk to each other about fp32 elements in host memory. It owns its MPI communicator. Calls
/// return when the memory may be used again, unless their names begin with start_. All ranks make the same collective
/// calls in the same order. With an MpiSession of many_threads, transfers may be started and finished in any thread.
/// Collective calls come from one thread at a time, so each thread takes a duplicate. Throws RunError when MPI fails.
class MpiCommunicator {
public:
  /// Makes a duplicate of `group` (MPI_COMM_WORLD, MPI_COMM_SELF), whose errors become exceptions. Parts and duplicates
  /// that are made from it wait as it does.
  explicit MpiCommunicator(MPI_Comm group, WaitPolicy policy = WaitPolicy::in_mpi);
  ~MpiCommunicator();
  MpiCommunicator(const MpiCommunicator&) = delete;
  MpiCommunicator& operator=(const MpiCommunicator&) = delete;

  int rank() const { return rank_; }
  int size() const { return size_; }
  WaitPolicy wait_policy() const { return wait_policy_; }
  void set_wait_policy(WaitPolicy policy) { wait_policy_ = policy; }
  /// Returns when every rank has called it.
  void barrier();
  /// Sends the elements of `root` to all.
  void broadcast(float* data, std::size_t count, int root);
  /// Puts the sum over the ranks in place of each rank's elements, by MPI's own algorithm, with the same bits on all.
  void all_reduce(float* data, std::size_t count);
  /// Puts the sum over the ranks of this rank's share of `data` into `own`. `data` has `own_count` elements for each
  /// rank.
  void reduce_scatter(const float* data, float* own, std::size_t own_count);
  /// Sends each rank's share, which is at its place in that rank's `data`, to all.
  void all_gather(float* data, std::size_t own_count);
  /// Starts a send. The memory must stay until wait. Messages between two ranks with one tag arrive in the order in
  /// which they were sent.
  Transfer start_send(const float* data, std::size_t count, int to, int tag);
  Transfer start_receive(float* data, std::size_t count, int from, int tag);
  /// Call MPI_Send and MPI_Recv, whatever the policy is, because a measured message is made of these.
  void send(const float* data, std::size_t count, int to, int tag);
  void receive(float* data, std::size_t count, int from, int tag);
  /// Returns when all transfers have finished, and empties them.
  void wait(std::vector<Transfer>& transfers);
  /// Returns the indices of transfers that have finished since the last call, and empties these. There is at least one
  /// unless all were empty.
  std::vector<std::size_t> wait_some(std::vector<Transfer>& transfers);
  /// Does the same, but returns at once, perhaps with none.
  std::vector<std::size_t> finished(std::vector<Transfer>& transfers);

  /// Puts the largest value over the ranks of each element, or the mean, in its place.
  void all_reduce_largest(std::vector<double>& values);
  void all_reduce_mean(std::vector<double>& values);
  /// Sends the values of `root` to all; the sizes are those of `root`.
  void broadcast(std::vector<std::int64_t>& values, int root);
  /// Returns each rank's values, by rank, on `root`; nothing elsewhere.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& values, int root);
  /// Returns each rank's text, by rank, on every rank.
  std::vector<std::string> gather(const std::string& text);
  /// leave_number() sends a number to a rank that may never take it, and MPI keeps it. receive_number() returns a
  /// number that has come, with its sender.
  void leave_number(std::int64_t number, int to, int tag);
  std::optional<std::pair<int, std::int64_t>> receive_number(int tag);
  /// Returns the ranks that gave the same colour, in the old order. Every rank calls it.
  std::unique_ptr<MpiCommunicator> split(int colour);
  std::unique_ptr<MpiCommunicator> duplicate();

private:
  struct Adopt {};
  MpiCommunicator(Adopt, MPI_Comm owned, WaitPolicy policy);

  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  WaitPolicy wait_policy_ = WaitPolicy::in_mpi;
  /// A number that was sent and not taken yet.
  struct PendingSend {
    std::int64_t number = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<PendingSend> pending_sends_;
};

/// Returns the wait policy by training_wait_policy() over the ranks of `world`, each of which runs this many threads at
/// the same time. It is the same on all ranks, which must all call it.
WaitPolicy agree_wait_policy(MpiCommunicator& world, int threads);

} // namespace ddltrain
