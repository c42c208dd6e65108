#pragma once

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/watchdog.hpp"
#include "trainer/train/train_options.hpp"

#include <exception>
#include <functional>

namespace ddltrain {
/// What a rank says of itself when a job starts.
struct Introduction {
  std::string host;
  std::string program;   ///< version and build
  std::string arguments; ///< the command line
};

/// Version and a checksum of the running program file: two builds of one version are told apart.
std::string program_identity();

/// Every rank's host, by rank. Throws RunError on all ranks when one runs another program or other arguments than rank
/// 0, naming it and its host. Collective.
std::vector<std::string> introduce(MpiCommunicator& world, const Introduction& own);

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
  Watchdog* watchdog = nullptr; ///< hears of each step, where there is one

  bool is_worker() const { return world->rank() < workers; }
};

/// Splits the world by the strategy. Throws UserError when there are too few ranks for the servers. Collective.
Job make_job(MpiCommunicator& world, const TrainStrategy& strategy, const std::string& host,
             std::function<void(std::exception_ptr)> fail);

/// Rank of each server in the world.
std::vector<int> server_ranks(const Job& job, const TrainStrategy& strategy);

/// FNV-1a over the bytes (Fowler, Noll, Vo), 64 bits.
std::uint64_t checksum(const void* bytes, std::size_t count);

/// Compares the ranks' parameters by checksum. Throws RunError naming the ranks whose differ from rank 0's. Collective.
void check_agreement(MpiCommunicator& ranks, const std::vector<float>& parameters);

} // namespace ddltrain
