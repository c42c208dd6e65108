#pragma once
// Parameter-server exchange with every copy of every shard a SimGrid message.

#include "sim/parameter_server/exchange.hpp"

#include <vector>

namespace ddlsim {

/// When the slowest worker has each shard, seconds. Only inside run_in_child: it starts SimGrid.
std::vector<double> simulate_server_exchange(const Machine& machine, const ServerMachine& servers,
                                             const ServerExchange& exchange);

} // namespace ddlsim
