#pragma once
// What a program measured of the machine alone, without training: how long the simulator takes it to be.

#include "calibrate/data/fit_data.hpp"

namespace ddlsim {

/// Time of one transfer in that sample, by the forms that an iteration is made of:
///   all-reduce      operation cost + all_reduce_s
///   message         latency + size / rate of the path: between nodes the NIC's, inside a node that between its ranks
///   push-pull       server_exchange_closed_form of one tensor on one server, a node of its own or, where all are on
///   one
///                   node, memory copies; push or pull alone are half of it. One tensor is pushed before it is pulled,
///                   so that no link is busy in both directions and server_duplex has no part in it
double transfer_time_s(Measured measured, const StepSetup& setup, const DataPoint& point, const Parameters& sample);

} // namespace ddlsim
