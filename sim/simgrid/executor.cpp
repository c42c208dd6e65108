#include "sim/simgrid/executor.hpp"

#include "sim/base/child_process.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/class_runs.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/requests.hpp"

#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

class Formulas : public Executor {
public:
  SimulatedTimes collectives(const Machine& machine, const std::vector<double>& sizes_bytes,
                             const CollectiveKind& collective) const override {
    SimulatedTimes times;
    times.times_s.reserve(sizes_bytes.size());
    for (const double size_bytes : sizes_bytes) times.times_s.push_back(collective_s(machine, size_bytes, collective));
    return times;
  }

  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override {
    return {pass_paths(messages, rate_Bps), 0};
  }

  ServerExchangeTiming server_exchange(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) const override {
    return server_exchange_closed_form(on_one_switch(machine, TrafficPattern::all_to_all), servers, exchange);
  }

  AsyncTiming async_servers(const Machine& placed, const ServerMachine& servers,
                            const AsyncExchange& async) const override {
    const Machine machine = on_one_switch(placed, TrafficPattern::all_to_all);
    require_usable(machine, servers, async);
    return async_closed_form(machine, servers, async);
  }
};

/// Returns the simulated times as one list whose last number is that of the messages.
Numbers in_one_list(SimulatedTimes simulated) {
  simulated.times_s.push_back(simulated.messages);
  return std::move(simulated.times_s);
}

SimulatedTimes simulate_in_fork(Numbers (*simulate)(const Numbers&), const RequestWriter& request) {
  SimulatedTimes simulated{run_in_fork(simulate, request.numbers()), 0};
  simulated.messages = simulated.times_s.back();
  simulated.times_s.pop_back();
  return simulated;
}

/// Times paths on SimGrid, which runs every message, because a path carries one at a time.
SimulatedTimes paths_on_simgrid(const std::vector<PathMessage>& messages, double rate_Bps) {
  if (messages.empty()) return {};
  RequestWriter request;
  request.add(messages);
  request.add(rate_Bps);
  const auto simulate = [](const Numbers& numbers) {
    RequestReader read(numbers);
    const auto path_messages = read.messages();
    return in_one_list(simulate_paths(path_messages, read.number()));
  };
  return simulate_in_fork(simulate, request);
}

using SimulateServers = SimulatedTimes (*)(const Machine&, const ServerMachine&, const ServerExchange&);

template <SimulateServers simulate> Numbers simulate_servers(const Numbers& numbers) {
  RequestReader read(numbers);
  const auto machine = read.machine();
  const auto servers = read.servers();
  return in_one_list(simulate(machine, servers, read.exchange()));
}

template <SimulateServers simulate>
ServerExchangeTiming servers_on_simgrid(const Machine& machine, const ServerMachine& servers,
                                        const ServerExchange& exchange) {
  require_usable(machine, servers, exchange);
  RequestWriter request;
  request.add(machine);
  request.add(servers);
  request.add(exchange);
  auto simulated = simulate_in_fork(simulate_servers<simulate>, request);
  ServerExchangeTiming timing;
  const auto pulled = simulated.times_s.begin() + static_cast<std::ptrdiff_t>(exchange.shards.size());
  timing.summed_s.assign(simulated.times_s.begin(), pulled);
  timing.pulled_s.assign(pulled, simulated.times_s.end());
  timing.simgrid_messages = simulated.messages;
  summarise(machine, servers, exchange, timing);
  return timing;
}

using SimulateCollectives = SimulatedTimes (*)(const Machine&, const std::vector<double>& sizes_bytes,
                                               const CollectiveKind&);

template <SimulateCollectives simulate> Numbers simulate_collectives(const Numbers& numbers) {
  RequestReader read(numbers);
  const auto machine = read.machine();
  const auto sizes_bytes = read.list();
  const auto operation = static_cast<CollectiveOperation>(read.integer());
  return in_one_list(simulate(machine, sizes_bytes, {operation, static_cast<Algorithm>(read.integer())}));
}

template <SimulateCollectives simulate>
SimulatedTimes collectives_on_simgrid(const Machine& machine, const std::vector<double>& sizes_bytes,
                                      const CollectiveKind& collective) {
  if (machine.ranks <= 1 || sizes_bytes.empty()) return {std::vector<double>(sizes_bytes.size(), 0)};
  RequestWriter request;
  request.add(machine);
  request.add(sizes_bytes);
  request.add(static_cast<int>(collective.operation));
  request.add(static_cast<int>(collective.algorithm));
  return simulate_in_fork(simulate_collectives<simulate>, request);
}

SimulatedTimes simulate_one_period(const Machine& machine, const std::vector<double>& sizes_bytes,
                                   const CollectiveKind& collective) {
  std::vector<std::vector<PeriodSteps>> collectives;
  for (const double size_bytes : sizes_bytes) collectives.push_back(period_of(machine, size_bytes, collective));
  return simulate_periods(collectives);
}

SimulatedTimes simulate_all_ranks(const Machine& machine, const std::vector<double>& sizes_bytes,
                                  const CollectiveKind& collective) {
  double messages = 0;
  for (const double size_bytes : sizes_bytes) messages += messages_of_collective(machine, collective, size_bytes, 1);
  const auto& row = collective_algorithm(collective);
  const auto schedule = row.schedule;
  if (schedule == nullptr) return {simulate_rings(machine, sizes_bytes, row), messages};
  return {simulate_schedules(machine, sizes_bytes, [&](double size_bytes) { return schedule(machine, size_bytes); }),
          messages};
}

SimulatedTimes simulate_classes(const Machine& machine, const std::vector<double>& sizes_bytes,
                                const CollectiveKind& collective) {
  const auto class_schedule = collective_algorithm(collective).class_schedule;
  return simulate_class_schedules(sizes_bytes, [&](double size_bytes, int most_chunks) {
    return class_schedule(machine, size_bytes, most_chunks);
  });
}

/// SimGrid with one member of each class. Each asynchronous worker is at another point of its iteration. So SimGrid
/// runs as many of them as take a second, with fewer pushes.
class Classes : public Executor {
public:
  SimulatedTimes collectives(const Machine& placed, const std::vector<double>& sizes_bytes,
                             const CollectiveKind& collective) const override {
    const Machine machine = on_one_switch(placed, collective_algorithm(collective).between_nodes.pattern);
    if (why_no_symmetry(machine, collective)) {
      if (const auto why = why_no_classes(machine, collective)) throw NoSymmetry(*why);
      return collectives_on_simgrid<simulate_classes>(machine, sizes_bytes, collective);
    }
    return collectives_on_simgrid<simulate_one_period>(machine, sizes_bytes, collective);
  }

  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override {
    return paths_on_simgrid(messages, rate_Bps);
  }

  ServerExchangeTiming server_exchange(const Machine& placed, const ServerMachine& servers,
                                       const ServerExchange& exchange) const override {
    const Machine machine = on_one_switch(placed, TrafficPattern::all_to_all);
    return servers_on_simgrid<simulate_server_classes>(machine, servers, exchange);
  }

  AsyncTiming async_servers(const Machine& machine, const ServerMachine& servers,
                            const AsyncExchange& async) const override {
    require_usable(machine, servers, async);
    if (async.exchange.shards.empty()) return async_closed_form(machine, servers, async);
    return simulate_async_groups(machine, servers, async, groups_to_run(machine, servers, async));
  }
};

/// SimGrid with every rank and every message.
class Full : public Executor {
public:
  SimulatedTimes collectives(const Machine& machine, const std::vector<double>& sizes_bytes,
                             const CollectiveKind& collective) const override {
    return collectives_on_simgrid<simulate_all_ranks>(machine, sizes_bytes, collective);
  }

  SimulatedTimes paths(const std::vector<PathMessage>& messages, double rate_Bps) const override {
    return paths_on_simgrid(messages, rate_Bps);
  }

  ServerExchangeTiming server_exchange(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) const override {
    return servers_on_simgrid<simulate_server_exchange>(machine, servers, exchange);
  }

  AsyncTiming async_servers(const Machine& machine, const ServerMachine& servers,
                            const AsyncExchange& async) const override {
    require_usable(machine, servers, async);
    if (async.exchange.shards.empty()) return async_closed_form(machine, servers, async);
    return simulate_async_servers(machine, servers, async);
  }
};

} // namespace

const Executor& executor_of(Engine engine) {
  static const Formulas formulas;
  static const Classes classes;
  static const Full full;
  switch (engine) {
  case Engine::formula:
    return formulas;
  case Engine::classes:
    return classes;
  case Engine::full:
    return full;
  }
  throw std::logic_error("an engine without an executor");
}

} // namespace ddlsim
