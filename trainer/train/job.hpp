#pragma once
#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/train/train_options.hpp"

#include <exception>
#include <functional>

namespace ddltrain {

/// Who does what: ranks 0 .. workers - 1 train, ranks after them serve. Colocated servers live on the first workers.
struct Job {
  MpiCommunicator* world = nullptr;
  int workers = 1;
  std::unique_ptr<MpiCommunicator> group; ///< the workers, or the dedicated servers
  int place = 0;                          ///< number, from 0, among its host's ranks
  std::string name;                       ///< "rank 1 on host vm"
  /// Tells of a failure and ends the job; does not return. For what goes wrong while other threads of this rank, or
  /// other ranks, wait for messages that will not come.
  std::function<void(std::exception_ptr)> fail;

  bool is_worker() const { return world->rank() < workers; }
};

/// Splits the world by the strategy. Throws UsageError when there are too few ranks for the servers. Collective.
Job make_job(MpiCommunicator& world, const TrainStrategy& strategy, const std::string& host,
             std::function<void(std::exception_ptr)> fail);

/// Rank of each server in the world.
std::vector<int> server_ranks(const Job& job, const TrainStrategy& strategy);

} // namespace ddltrain
