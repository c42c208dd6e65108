#include "sim/engine/engine.hpp"

#include "sim/collective/ring.hpp"
#include "sim/engine/child_process.hpp"
#include "sim/engine/full_ring.hpp"
#include "sim/engine/full_server.hpp"
#include "sim/server/traffic.hpp"

#include <algorithm>

namespace ddlsim {

std::string to_text(Fidelity fidelity) {
  return fidelity == Fidelity::full ? "full" : "closed-form";
}

std::vector<double> time_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                          Fidelity fidelity) {
  if (fidelity == Fidelity::full && machine.ranks > 1 && !sizes_bytes.empty()) {
    return run_in_child([&] { return simulate_ring_all_reduces(machine, sizes_bytes); });
  }
  std::vector<double> times_s;
  times_s.reserve(sizes_bytes.size());
  for (const double size_bytes : sizes_bytes) {
    times_s.push_back(ring_all_reduce_s(machine, size_bytes));
  }
  return times_s;
}

ServerExchangeTiming time_server_exchange(const Machine& machine, const ServerMachine& servers,
                                          const ServerExchange& exchange, Fidelity fidelity) {
  if (fidelity == Fidelity::closed_form) return server_exchange_closed_form(machine, servers, exchange);
  require_usable(machine, servers, exchange);
  ServerExchangeTiming timing;
  timing.pulled_s = run_in_child([&] { return simulate_server_exchange(machine, servers, exchange); });
  summarise(machine, servers, exchange, timing);
  return timing;
}

} // namespace ddlsim
