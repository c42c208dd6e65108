#pragma once
#include "trainer/timing/collective_measurement.hpp"
#include "trainer/timing/measure_options.hpp"

namespace ddltrain {

/// What collectives, link and server have in common.
struct CommunicationOptions {
  int ranks = 2;               ///< to start on this machine when no launcher started this process
  int cores_per_rank = 0;      ///< of ranks started here; 0: an equal share
  std::string transport;       ///< as records name it; when empty what the settings say, else unknown
  std::string sizes;           ///< "1KiB..64MiB", "4MiB,16MiB"
  std::string backend = "mpi"; ///< mpi, nccl (collectives only)
  std::vector<std::string> operations = {"all-reduce"}; ///< collectives only, as the next two
  std::vector<std::string> ways;                        ///< ring, mpi; empty: those that have the operation
  CollectiveTiming timing;
  LinkTraffic traffic; ///< link only
  StallLimits stall;
  MeasureOptions measure;
  std::vector<std::string> arguments; ///< of this process, to start ranks with
};

// Each runs as one rank of a job that a launcher started, or starts the job on this machine, and returns its exit
// status. A rank that fails ends the whole job with one message. Throws UserError and RunError before ranks are started.

/// `ddltrain collectives`: operations by the own ring and by the library over sizes.
int collectives_command(const CommunicationOptions& options);
/// `ddltrain link`: times of messages between pairs of ranks over sizes.
int link_command(const CommunicationOptions& options);
/// `ddltrain server`: push, pull and push-pull rates of one server with 1 to ranks - 1 workers.
int server_command(const CommunicationOptions& options);

} // namespace ddltrain
