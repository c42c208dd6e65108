#pragma once
// What synchronisation needs of MPI. The only header of the trainer that shows it.

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

/// A send or receive under way; made by start_send and start_receive, finished by wait. Empty when already finished.
struct Transfer {
  std::uint64_t handle = 0; ///< MPI's own
};

/// A group of ranks that talk to each other; fp32 elements in host memory. Owns its MPI communicator. Calls block until
/// the memory may be used again, unless they are named start_. All ranks make the same collective calls in the same
/// order. With an MpiSession of many_threads, transfers may be started and finished from any thread; collective calls
/// come from one thread at a time, so threads take a duplicate each. Throws RunError when MPI fails.
class MpiCommunicator {
public:
  /// A duplicate of `group` (MPI_COMM_WORLD, MPI_COMM_SELF), whose errors become exceptions.
  /// Parts and duplicates made later wait as this one does.
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
  /// `root`'s elements to all.
  void broadcast(float* data, std::size_t count, int root);
  /// The sum over the ranks in place of each rank's elements, by MPI's own algorithm; the same bits on all.
  void all_reduce(float* data, std::size_t count);
  /// The sum over the ranks of this rank's share of `data`, which has `own_count` elements for each rank, to `own`.
  void reduce_scatter(const float* data, float* own, std::size_t own_count);
  /// Each rank's share, which lies in its place in its `data`, to all.
  void all_gather(float* data, std::size_t own_count);
  /// The memory must stay until wait. Messages between two ranks with one tag arrive in the order sent.
  Transfer start_send(const float* data, std::size_t count, int to, int tag);
  Transfer start_receive(float* data, std::size_t count, int from, int tag);
  /// MPI_Send and MPI_Recv, whatever the policy: what a measured message is.
  void send(const float* data, std::size_t count, int to, int tag);
  void receive(float* data, std::size_t count, int from, int tag);
  /// Returns when all are finished, and empties them.
  void wait(std::vector<Transfer>& transfers);
  /// The indices of transfers that have finished since the last call, which are emptied: at least one, unless all were
  /// empty.
  std::vector<std::size_t> wait_some(std::vector<Transfer>& transfers);
  /// The same, but returns at once, maybe with none.
  std::vector<std::size_t> finished(std::vector<Transfer>& transfers);

  /// The largest over the ranks of each element, or the mean, in place.
  void all_reduce_largest(std::vector<double>& values);
  void all_reduce_mean(std::vector<double>& values);
  /// `root`'s values to all; sizes are `root`'s.
  void broadcast(std::vector<std::int64_t>& values, int root);
  /// Each rank's values, by rank, on `root`; none elsewhere.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& values, int root);
  /// Each rank's text, by rank, on every rank.
  std::vector<std::string> gather(const std::string& text);
  /// A number to a rank that may never take it: MPI keeps it. receive_number: one that has come, with its sender.
  void leave_number(std::int64_t number, int to, int tag);
  std::optional<std::pair<int, std::int64_t>> receive_number(int tag);
  /// The ranks that gave the same colour, in the old order. Every rank calls it.
  std::unique_ptr<MpiCommunicator> split(int colour);
  std::unique_ptr<MpiCommunicator> duplicate();

private:
  struct Adopt {};
  MpiCommunicator(Adopt, MPI_Comm owned, WaitPolicy policy);

  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
  WaitPolicy wait_policy_ = WaitPolicy::in_mpi;
  /// A number on its way.
  struct PendingSend {
    std::int64_t number = 0;
    MPI_Request request = MPI_REQUEST_NULL;
  };
  std::list<PendingSend> pending_sends_;
};

/// By training_wait_policy over the ranks of `world`, each of which runs so many threads beside each other; the same on
/// all. Collective.
WaitPolicy agree_wait_policy(MpiCommunicator& world, int threads);

} // namespace ddltrain
