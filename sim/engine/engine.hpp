#pragma once
// Three ways to run one description; the answer names the one used.

#include "sim/model/machine.hpp"
#include "sim/server/exchange.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// closed_form where nothing contends (and the oracle of the tests); full: every rank and every message a SimGrid
/// activity.
enum class Fidelity { closed_form, full };

std::string to_text(Fidelity fidelity); ///< "closed-form", "full"

/// Ring all-reduce times for several message sizes, seconds, in the order given; nothing else uses the links.
/// full runs in a forked child, because SimGrid keeps global state. Throws std::runtime_error when the child fails.
std::vector<double> time_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                          Fidelity fidelity);

/// Push, sum and pull of all shards. full shares links between flows by SimGrid's max-min fairness.
ServerExchangeTiming time_server_exchange(const Machine& machine, const ServerMachine& servers,
                                          const ServerExchange& exchange, Fidelity fidelity);

} // namespace ddlsim
