#pragma once
// Which engine times the communication of a question, and why.

#include "sim/collective/collective.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

#include <cstddef>

namespace ddlsim {

/// For collectives of one kind whose messages together are `size_bytes` in `operations` operations. By default one rank of each
/// class where that equals a run of every message; else every message up to 100,000 of them (a third of a second); else one rank
/// of each class where ranks are almost alike; else the formula. Throws TooManyMessages for `full` beyond 20 million
/// messages, which take SimGrid about a minute on one core. `messages_before`: of this kind earlier in the
/// iteration; all of them share the 100,000.
Choice choose_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes, int operations,
                         Fidelity requested, double messages_before = 0);

/// Messages that a full run simulates.
double messages_of_collective(const Machine& machine, const CollectiveKind& collective, double size_bytes,
                              int operations);

/// The same for a parameter-server exchange: one connection of each class where that takes about a second, else the
/// formula.
Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested);

/// For paths inside a node, which are alone on their links.
Choice choose_paths(Fidelity requested);

/// The same for asynchronous servers: by default as many workers, each of which stands for several, as take a second.
/// Throws TooManyMessages for `full` beyond 2 million messages, which take a minute: with dozens of messages under way
/// SimGrid runs 30,000 a second.
Choice choose_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                            Fidelity requested);

/// Classes of connections of an exchange: time and memory of a run by classes grow with them. Throws
/// std::invalid_argument as the closed form does.
std::size_t count_connection_classes(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange);

} // namespace ddlsim
