#include "sim/simgrid/engine.hpp"

#include "sim/base/child_process.hpp"
#include "sim/collective/halving_doubling.hpp"
#include "sim/collective/hierarchical_ring.hpp"
#include "sim/collective/reduced.hpp"
#include "sim/collective/tree.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"

#include <algorithm>

namespace ddlsim {

namespace {

std::vector<double> simulate_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                         Algorithm algorithm) {
  if (algorithm == Algorithm::ring) return simulate_ring_all_reduces(machine, sizes_bytes);
  return simulate_schedules(machine, sizes_bytes, [&](double size_bytes) {
    if (algorithm == Algorithm::hierarchical_ring) return hierarchical_ring_schedule(machine, size_bytes);
    if (algorithm == Algorithm::tree) return tree_schedule(machine, size_bytes);
    return halving_doubling_schedule(machine, size_bytes);
  });
}

} // namespace

std::vector<double> time_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                          Fidelity fidelity) {
  return time_all_reduces(machine, sizes_bytes, Algorithm::ring, fidelity);
}

std::vector<double> time_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                     Algorithm algorithm, Fidelity fidelity) {
  if (fidelity == Fidelity::full && machine.ranks > 1 && !sizes_bytes.empty()) {
    return run_in_child([&] { return simulate_all_reduces(machine, sizes_bytes, algorithm); });
  }
  const bool reduced = fidelity == Fidelity::reduced;
  if (const auto why = reduced ? why_not_reduced(machine, algorithm) : std::nullopt) throw CannotReduce(*why);
  std::vector<double> times_s;
  times_s.reserve(sizes_bytes.size());
  for (const double size_bytes : sizes_bytes) {
    times_s.push_back(reduced ? reduced_all_reduce_s(machine, size_bytes, algorithm)
                              : all_reduce_s(machine, size_bytes, algorithm));
  }
  return times_s;
}

ServerExchangeTiming time_server_exchange(const Machine& machine, const ServerMachine& servers,
                                          const ServerExchange& exchange, Fidelity fidelity) {
  if (fidelity == Fidelity::closed_form) return server_exchange_closed_form(machine, servers, exchange);
  if (fidelity == Fidelity::reduced) {
    if (const auto why = why_not_reduced(machine, servers, exchange)) throw CannotReduce(*why);
    return server_exchange_reduced(machine, servers, exchange);
  }
  require_usable(machine, servers, exchange);
  ServerExchangeTiming timing;
  timing.pulled_s = run_in_child([&] { return simulate_server_exchange(machine, servers, exchange); });
  summarise(machine, servers, exchange, timing);
  return timing;
}

std::optional<std::string> why_not_reduced(const Machine& machine, const ServerMachine& servers,
                                           const ServerExchange& exchange, std::size_t most_connections) {
  return why_server_exchange_not_reduced(machine, servers, exchange, most_connections);
}

AsyncTiming time_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                               Fidelity fidelity) {
  require_usable(machine, servers, async);
  if (fidelity == Fidelity::closed_form || async.exchange.shards.empty()) {
    return async_closed_form(machine, servers, async);
  }
  return fidelity == Fidelity::reduced ? async_reduced(machine, servers, async)
                                       : simulate_async_servers(machine, servers, async);
}

} // namespace ddlsim
