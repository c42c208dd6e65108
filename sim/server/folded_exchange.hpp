#pragma once
// One synchronous exchange with parameter servers in which connections that play the same role are one.

#include "sim/server/exchange.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// What the full simulation does, every copy by itself and all links shared by max-min fairness, with one
/// representative for each class of connections (server_classes.hpp): equal to it, whatever the servers, shards, leaves
/// and slow node. Honours slow_nic_factor and slow_ready_s. The time taken grows with classes and not with nodes.
/// Throws std::invalid_argument as the closed form does.
ServerExchangeTiming server_exchange_folded(const Machine& machine, const ServerMachine& servers,
                                            const ServerExchange& exchange);

/// Why folding is of no use here, in one sentence: too many connections differ. Nothing when it is. Where it is none,
/// server_exchange_folded gives the same answer as ever, but takes as long as the full simulation.
std::optional<std::string> why_server_exchange_not_folded(const Machine& machine, const ServerMachine& servers,
                                                          const ServerExchange& exchange);

} // namespace ddlsim
