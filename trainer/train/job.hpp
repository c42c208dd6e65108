#pragma once

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/watchdog.hpp"
#include "trainer/train/train_options.hpp"

#include <exception>
#include <functional>

namespace ddltrain {
/// The data that a rank sends when a job starts.
struct Introduction {
  std::string host;
  std::string program;   ///< version and build
  std::string arguments; ///< the command line
};

/// Returns the version and a checksum of the running program file, which differ between two builds of one version.
std::string program_identity();

/// Returns the host of every rank, by rank. Throws RunError on all ranks when one runs another program or other
/// arguments than rank 0, naming the rank and its host. All ranks must call it.
std::vector<std::string> introduce(MpiCommunicator& world, const Introduction& own);

/// The roles of the ranks: ranks 0 .. workers - 1 train, the ranks after them are servers. Colocated servers run on the
/// first workers.
struct Job {
  MpiCommunicator* world = nullptr;
  int workers = 1;
  std::unique_ptr<MpiCommunicator> group; ///< communicator of the workers, or of the dedicated servers
  int place = 0;                          ///< number of this rank among those of its host, from 0
  std::string name;                       ///< "rank 1 on host vm"
  /// Reports a failure and ends the job; does not return. It is for failures while other threads of this rank, or other
  /// ranks, wait for messages that will not come.
  std::function<void(std::exception_ptr)> fail;
  Watchdog* watchdog = nullptr; ///< told of each step; may be null

  bool is_worker() const { return world->rank() < workers; }
};

/// Splits the world by the strategy. Throws UserError when there are too few ranks for the servers. All ranks must call
/// it.
Job make_job(MpiCommunicator& world, const TrainStrategy& strategy, const std::string& host,
             std::function<void(std::exception_ptr)> fail);

/// Returns the rank of each server in the world.
std::vector<int> server_ranks(const Job& job, const TrainStrategy& strategy);

/// Returns FNV-1a over the bytes (Fowler, Noll, Vo), 64 bits.
std::uint64_t checksum(const void* bytes, std::size_t count);

/// Compares the parameters of the ranks by checksum. Throws RunError naming the ranks whose parameters differ from rank
/// 0's. All ranks must call it.
void check_agreement(MpiCommunicator& ranks, const std::vector<float>& parameters);

} // namespace ddltrain
