#include "sim/collective/fabric_load.hpp"
#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"

namespace ddlsim {

AsyncGroups groups_to_run(const Machine& placed, const ServerMachine& servers, const AsyncExchange& async) {
  const Machine machine = on_one_switch(placed, TrafficPattern::all_to_all);
  const AsyncGroups groups = group_asynchronous(machine, servers, async);
  if (!placed.fabric || !groups.is_whole) return groups;
  const auto hosts = at(placed.nodes() + (servers.dedicated ? servers.servers : 0));
  return placed.fabric->places.size() < hosts ? groups : group_asynchronous(placed, servers, async);
}

AsyncTiming simulate_async_groups(const Machine& placed, const ServerMachine& servers, const AsyncExchange& async,
                                  const AsyncGroups& groups) {
  AsyncTiming timing = simulate_async_servers(groups.machine, groups.servers, groups.async, groups.rounds);
  if (groups.is_whole) return timing;
  ServerMachine alike = servers; // the servers, with the placement that the run uses
  alike.dedicated = groups.servers.dedicated;
  const auto all = async_closed_form(on_one_switch(placed, TrafficPattern::all_to_all), alike, async);
  const auto run = async_closed_form(groups.machine, groups.servers, groups.async);
  const int workers = placed.nodes() * async.exchange.messages_per_node;
  const int run_workers = groups.machine.nodes() * async.exchange.messages_per_node;
  timing.iteration_s += all.iteration_s - run.iteration_s;
  if (workers > 1) timing.mean_staleness *= (workers - 1.0) / (run_workers - 1.0);
  timing.updates_per_s = workers / timing.iteration_s;
  timing.busiest_server = all.busiest_server;
  timing.busiest_server_share = all.busiest_server_share * timing.updates_per_s / all.updates_per_s;
  return timing;
}

} // namespace ddlsim
