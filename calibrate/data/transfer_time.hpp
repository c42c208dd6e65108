#pragma once
// Simulated times of transfer micro-benchmarks.

#include "calibrate/data/fit_data.hpp"

namespace ddlsim {

/// Time of one transfer in that sample, by the formulas that an iteration uses:
///   all-reduce   operation cost + all_reduce_s
///   message      latency + size / rate of the path: between nodes the NIC's, inside a node that between its ranks
///   push-pull    server_exchange_closed_form of one tensor on one server; push or pull alone take half of it
/// The server is on a node of its own or, where all ranks are on one node, reached by memory copies. One tensor is
/// pushed before it is pulled, so that no link is busy in both directions and server_duplex plays no part.
double transfer_time_s(Measured measured, const StepSetup& setup, const DataPoint& point, const Parameters& sample);

} // namespace ddlsim
