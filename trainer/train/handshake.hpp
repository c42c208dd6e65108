#pragma once
#include "trainer/communication/mpi_communicator.hpp"

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

} // namespace ddltrain
