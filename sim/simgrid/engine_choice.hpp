#pragma once
// Chooses the engine that times the communication of a scenario, and says why.

#include "sim/collective/collective.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstddef>

namespace ddlsim {

/// Chooses the engine for collectives of one kind that move `size_bytes` in total, in `operations` operations. By
/// default the first of these that holds is taken: SimGrid with one rank of each class, where that equals a run of
/// every message; SimGrid with every message, up to 100,000 of them (a third of a second); SimGrid with one rank of
/// each class, where the ranks of a class behave almost alike; the formula. `messages_before` counts the messages of
/// this kind earlier in the iteration; all of them share the limit of 100,000. Throws TooManyMessages for `full` beyond
/// 20 million messages, which take SimGrid about a minute on one core.
Choice choose_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes, int operations,
                         Fidelity requested, double messages_before = 0);

/// Returns the number of messages that a full run simulates.
double messages_of_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes,
                              int operations);

/// Chooses the engine for an exchange with parameter servers: SimGrid with one connection of each class where that
/// takes about a second, else the formula.
Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested);

/// Chooses the engine for the paths between the GPUs of a node. Each path has its link to itself.
Choice choose_paths(Fidelity requested);

/// Chooses the engine for asynchronous servers. By default SimGrid runs as many workers as take a second, each of which
/// stands for several. Throws TooManyMessages for `full` beyond 2 million messages, which take a minute: with dozens of
/// messages under way SimGrid runs 30,000 a second.
Choice choose_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                            Fidelity requested);

/// Returns the number of connection classes of an exchange; time and memory of a run by classes grow with it. Throws
/// std::invalid_argument as the closed form does.
std::size_t count_connection_classes(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange);

} // namespace ddlsim
