#pragma once
// One synchronous exchange with parameter servers in which connections that play the same role are one.

#include "sim/server/exchange.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace ddlsim {

/// What the full simulation does, every copy by itself and all links shared by max-min fairness, with one
/// representative for each class of connections (server_classes.hpp): equal to it, whatever the servers, shards, leaves
/// and slow node. Honours slow_nic_factor and slow_ready_s. Time and memory grow with the classes and not with the
/// nodes. Throws std::invalid_argument as the closed form does.
ServerExchangeTiming server_exchange_folded(const Machine& machine, const ServerMachine& servers,
                                            const ServerExchange& exchange);

/// Classes of connections that are folded at most. Two directions of 161 unlike colocated servers are 26,082, whatever
/// the number of nodes, and take 1 to 15 s; beyond, a point would take minutes.
constexpr std::size_t most_folded_connections = 30000;

/// Why folding is of no use here, in one sentence: too many connections differ, as with colocated servers that all
/// carry different shards. Nothing where it is. Throws std::invalid_argument as the closed form does.
std::optional<std::string> why_server_exchange_not_folded(const Machine& machine, const ServerMachine& servers,
                                                          const ServerExchange& exchange,
                                                          std::size_t most_connections = most_folded_connections);

} // namespace ddlsim
