#pragma once
// The communicator over MPI. The only header of the trainer that shows MPI.

#include "trainer/communication/communicator.hpp"

#include <memory>
#include <mpi.h>
#include <string>

namespace ddltrain {

/// Owns its MPI communicator. With an MpiSession of many_threads, transfers may be started and finished from any
/// thread; collective calls come from one thread at a time, so threads take a duplicate each.
class MpiCommunicator final : public Communicator {
public:
  /// A duplicate of `group` (MPI_COMM_WORLD, MPI_COMM_SELF), whose errors become exceptions.
  explicit MpiCommunicator(MPI_Comm group);
  ~MpiCommunicator() override;

  int rank() const override { return rank_; }
  int size() const override { return size_; }
  void barrier() override;
  void broadcast(float* data, std::size_t count, int root) override;
  void all_reduce(float* data, std::size_t count) override;
  Transfer start_send(const float* data, std::size_t count, int to, int tag) override;
  Transfer start_receive(float* data, std::size_t count, int from, int tag) override;
  void wait(std::vector<Transfer>& transfers) override;

  /// The indices of transfers that have finished since the last call, which are emptied; returns at once, maybe with
  /// none.
  std::vector<std::size_t> finished(std::vector<Transfer>& transfers);

  /// The largest over the ranks of each element, in place.
  void all_reduce_largest(std::vector<double>& values);
  /// `root`'s values to all; sizes are `root`'s.
  void broadcast(std::vector<std::int64_t>& values, int root);
  /// Each rank's values, by rank, on `root`; none elsewhere.
  std::vector<std::vector<std::int64_t>> gather(const std::vector<std::int64_t>& values, int root);
  /// Each rank's text, by rank, on every rank.
  std::vector<std::string> gather(const std::string& text);
  /// The ranks that gave the same colour, in the old order. Every rank calls it.
  std::unique_ptr<MpiCommunicator> split(int colour);
  std::unique_ptr<MpiCommunicator> duplicate();

private:
  struct Adopt {};
  MpiCommunicator(Adopt, MPI_Comm owned);

  MPI_Comm group_ = MPI_COMM_NULL;
  int rank_ = 0;
  int size_ = 1;
};

} // namespace ddltrain
