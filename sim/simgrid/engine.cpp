#include "sim/simgrid/engine.hpp"

#include "sim/base/child_process.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/by_symmetry.hpp"
#include "sim/simgrid/fidelity_selection.hpp"
#include "sim/simgrid/full.hpp"

#include <functional>
#include <utility>

namespace ddlsim {

namespace {

/// What was simulated in a child, as one list: the messages come last.
std::vector<double> in_one_list(SimulatedTimes simulated) {
  simulated.times_s.push_back(simulated.messages);
  return std::move(simulated.times_s);
}

SimulatedTimes simulate_in_child(const std::function<SimulatedTimes()>& simulate) {
  SimulatedTimes simulated{run_in_child([&] { return in_one_list(simulate()); }), 0};
  simulated.messages = simulated.times_s.back();
  simulated.times_s.pop_back();
  return simulated;
}

SimulatedTimes simulate_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                    Algorithm algorithm) {
  double messages = 0;
  for (const double size_bytes : sizes_bytes) messages += messages_of_all_reduce(machine, algorithm, size_bytes, 1);
  const auto schedule = all_reduce_algorithm(algorithm).schedule;
  if (schedule == nullptr) return {simulate_ring_all_reduces(machine, sizes_bytes), messages};
  return {simulate_schedules(machine, sizes_bytes, [&](double size_bytes) { return schedule(machine, size_bytes); }),
          messages};
}

SimulatedTimes simulate_by_symmetry(const Machine& machine, const std::vector<double>& sizes_bytes,
                                    Algorithm algorithm) {
  std::vector<std::vector<PeriodSteps>> collectives;
  for (const double size_bytes : sizes_bytes) collectives.push_back(period_of(machine, size_bytes, algorithm));
  return simulate_periods(collectives);
}

} // namespace

SimulatedTimes time_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes, Algorithm algorithm,
                                Fidelity fidelity) {
  if (fidelity == Fidelity::by_symmetry)
    if (const auto why = why_no_symmetry(machine, algorithm)) throw NoSymmetry(*why);
  const bool on_simgrid = fidelity == Fidelity::full || fidelity == Fidelity::by_symmetry;
  if (on_simgrid && machine.ranks > 1 && !sizes_bytes.empty()) {
    const auto simulate = fidelity == Fidelity::full ? simulate_all_reduces : simulate_by_symmetry;
    return simulate_in_child([&] { return simulate(machine, sizes_bytes, algorithm); });
  }
  SimulatedTimes times;
  for (const double size_bytes : sizes_bytes) times.times_s.push_back(all_reduce_s(machine, size_bytes, algorithm));
  return times;
}

SimulatedTimes time_paths(const std::vector<PathMessage>& messages, double rate_Bps, Fidelity fidelity) {
  const bool on_simgrid = fidelity == Fidelity::full || fidelity == Fidelity::by_symmetry;
  if (!on_simgrid || messages.empty()) return {pass_paths(messages, rate_Bps), 0};
  return simulate_in_child([&] { return simulate_paths(messages, rate_Bps); });
}

ServerExchangeTiming time_server_exchange(const Machine& machine, const ServerMachine& servers,
                                          const ServerExchange& exchange, Fidelity fidelity) {
  if (fidelity == Fidelity::closed_form) return server_exchange_closed_form(machine, servers, exchange);
  const bool by_classes = fidelity == Fidelity::reduced || fidelity == Fidelity::by_symmetry;
  if (by_classes)
    if (const auto why = why_no_symmetry(machine, servers, exchange)) throw NoSymmetry(*why);
  if (fidelity == Fidelity::reduced) return server_exchange_reduced(machine, servers, exchange);
  require_usable(machine, servers, exchange);
  const auto simulate = by_classes ? simulate_server_classes : simulate_server_exchange;
  auto simulated = simulate_in_child([&] { return simulate(machine, servers, exchange); });
  ServerExchangeTiming timing;
  timing.pulled_s = std::move(simulated.times_s);
  timing.simgrid_messages = simulated.messages;
  summarise(machine, servers, exchange, timing);
  return timing;
}

std::optional<std::string> why_no_symmetry(const Machine& machine, const ServerMachine& servers,
                                           const ServerExchange& exchange, std::size_t most_connections) {
  return why_too_many_classes(machine, servers, exchange, most_connections);
}

AsyncTiming time_async_servers(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async,
                               Fidelity fidelity) {
  require_usable(machine, servers, async);
  if (fidelity == Fidelity::closed_form || async.exchange.shards.empty()) {
    return async_closed_form(machine, servers, async);
  }
  return fidelity == Fidelity::full ? simulate_async_servers(machine, servers, async)
                                    : async_reduced(machine, servers, async);
}

} // namespace ddlsim
