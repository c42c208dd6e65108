#pragma once
// Asynchronous parameter server with every copy of every shard a SimGrid message.

#include "sim/parameter_server/async.hpp"

#include <vector>

namespace ddlsim {

/// One round of the simulation: updates/s, mean staleness. Rounds of other numbers draw other computes. Only inside
/// run_in_child: it starts SimGrid. A server answers a pull with one message of all its shards, and shards of a server
/// that are ready together are pushed as one; a fluid link carries them as it would one after another.
///
/// Which iterations are timed, and why those: sim/parameter_server/async_draws.hpp. A worker goes on until the last one
/// is measured, so that none is measured alone.
std::vector<double> simulate_async_round(const Machine& machine, const ServerMachine& servers,
                                         const AsyncExchange& async, int round);

/// Rounds, each in a child, until the standard error of the mean iteration is below 0.5 % of it.
AsyncTiming simulate_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async);

} // namespace ddlsim
