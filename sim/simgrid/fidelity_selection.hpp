#pragma once
// Which way a question is run, and why.

#include "sim/collective/all_reduce.hpp"
#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/simgrid/fidelity.hpp"

namespace ddlsim {

/// For all-reduces whose messages together are `size_bytes` in `operations` operations. `automatic` runs by symmetry
/// where the ranks are alike, else full up to 300,000 messages (a second), else the closed form with its gap.
/// Throws NoSymmetry where `by_symmetry` is requested and ranks are not alike, TooManyMessages for full beyond 20
/// million messages (SimGrid takes about a minute for them and one core). `messages_before`: of this algorithm
/// earlier in the iteration: all of them share what `automatic` may run in full.
Choice choose_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations,
                         Fidelity requested, double messages_before = 0);

/// Messages that a full run simulates.
double messages_of_all_reduce(const Machine& machine, Algorithm algorithm, double size_bytes, int operations);

/// The same for a parameter-server exchange: by symmetry up to 2,000 unlike connections (1,024: 0.2 to 2 s), else
/// reduced, which is as exact, up to 20,000 unlike connections (a second; screening: 100, 3 ms), else the closed form
/// with its gap. NoSymmetry beyond 2,000.
Choice choose_server_exchange(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                              Fidelity requested);

/// For paths inside a node, which are alone on their links: SimGrid unless screened.
Choice choose_paths(Fidelity requested);

/// The same for asynchronous servers: by symmetry, every worker with fewer pushes, where that takes
/// about a second; else reduced, up to 0.1 s, within 3 % of full or its gap is in the choice;
/// screening takes the closed form, microseconds. TooManyMessages for full beyond 2 million messages (a minute: with
/// dozens of flows under way SimGrid takes 30,000 a second).
Choice choose_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                            Fidelity requested);

} // namespace ddlsim
