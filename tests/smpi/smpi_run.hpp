#pragma once
// Starts an MPI program under smpirun on a star of equal links.

#include <string>

namespace ddlsim {

/// One switch, a host for each rank, one link for each host and direction.
struct SmpiStar {
  int hosts = 1;
  double rate_Bps = 0;
  double latency_s = 0;          ///< from host to host
  double loopback_latency_s = 0; ///< from a host to itself; the loopback's rate never limits
};

/// SMPI puts an envelope of that many bytes around each message (simgrid 3.32, src/smpi/mpi/smpi_request.cpp).
constexpr double envelope_bytes = 16;

/// The simulated seconds that `arguments[0]`, a program of this folder, printed. Network settings are those of our own
/// simulation. Throws std::runtime_error with the program's output when it printed anything else.
double simulated_s(const SmpiStar& star, const std::string& program_and_arguments);

} // namespace ddlsim
