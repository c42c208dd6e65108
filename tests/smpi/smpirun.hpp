#pragma once
// Starts an MPI program of this folder under smpirun, on a star of equal links.

#include "sim/network/machine.hpp"

#include <string>

namespace ddlsim_test {

/// One switch, a host for each rank, one link for each host and direction.
struct SmpiStar {
  int hosts = 1;
  double rate_Bps = 0;
  double latency_s = 0;          ///< from host to host
  double loopback_latency_s = 0; ///< from a host to itself; the loopback's rate never limits
};

/// SMPI puts an envelope of that many bytes around each message (simgrid 3.32,
/// src/smpi/mpi/smpi_request.cpp).
inline constexpr double envelope_bytes = 16;

/// The simulated seconds that the program, the first word, printed. Network settings are those of our own simulation;
/// `settings` come behind them. Throws std::runtime_error with the program's output when it printed anything else.
double simulated_s(const SmpiStar& star, const std::string& program_and_arguments, const std::string& settings = "");

/// Both sides add up the same moments; what differs is the order of additions, and our bytes are whole 2^-20 parts.
inline constexpr double rounding = 1e-6;

inline constexpr double float_bytes = 4;
inline constexpr double rate_Bps = 1e9;
inline constexpr double latency_s = 20e-6; // as long as 20 kB: it shows beside every size of these tests

/// The same star as a machine of the simulator, with latency_s between two hosts.
ddlsim::Machine star_of(int hosts);

} // namespace ddlsim_test
