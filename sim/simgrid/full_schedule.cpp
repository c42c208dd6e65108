#include "sim/collective/ring.hpp"
#include "sim/collective/segmented_ring.hpp"
#include "sim/network/machine.hpp"
#include "sim/simgrid/fabric_zone.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/ring_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// The links of each rank, node or leaf, one for each direction. The list of a kind that no message crosses is empty.
struct RankLinks {
  Links port_out, port_in, nic_out, nic_in, leaf_up, leaf_down;
};

RankLinks make_rank_links(s4u::NetZone& zone, const Machine& machine) {
  RankLinks fabric;
  if (ranks_of_full_node(machine) > 1) {
    fabric.port_out = make_links(zone, "port-out", machine.ranks, machine.intra_Bps);
    fabric.port_in = make_links(zone, "port-in", machine.ranks, machine.intra_Bps);
  }
  if (machine.nodes() > 1) {
    fabric.nic_out = make_nics(zone, "nic-out", machine.nodes(), machine);
    fabric.nic_in = make_nics(zone, "nic-in", machine.nodes(), machine);
  }
  if (has_leaves(machine)) {
    const int leaves = (machine.nodes() + machine.nodes_per_leaf - 1) / machine.nodes_per_leaf;
    fabric.leaf_up = make_links(zone, "leaf-up", leaves, machine.uplink_Bps);
    fabric.leaf_down = make_links(zone, "leaf-down", leaves, machine.uplink_Bps);
  }
  return fabric;
}

std::vector<s4u::LinkInRoute> route_of(const RankLinks& fabric, FabricZone& switches, const Machine& machine, int from,
                                       int to) {
  const int node_from = machine.node_of(from);
  const int node_to = machine.node_of(to);
  std::vector<s4u::LinkInRoute> route;
  if (node_from == node_to) {
    route.emplace_back(fabric.port_out[at(from)]);
    route.emplace_back(fabric.port_in[at(to)]);
    return route;
  }
  route.emplace_back(fabric.nic_out[at(node_from)]);
  if (has_leaves(machine)) {
    const int leaf_from = node_from / machine.nodes_per_leaf;
    const int leaf_to = node_to / machine.nodes_per_leaf;
    if (leaf_from != leaf_to) {
      route.emplace_back(fabric.leaf_up[at(leaf_from)]);
      route.emplace_back(fabric.leaf_down[at(leaf_to)]);
    }
  }
  for (auto* link : switches.route(node_from, node_to)) route.emplace_back(link);
  route.emplace_back(fabric.nic_in[at(node_to)]);
  return route;
}

std::set<std::pair<int, int>> pairs_that_talk(const Schedule& schedule) {
  std::set<std::pair<int, int>> pairs;
  for (const Program& program : schedule.programs) {
    for (const Step& step : program.steps) {
      for (const Send& send : step.sends) {
        pairs.emplace(program.rank, send.to);
      }
    }
  }
  return pairs;
}

std::vector<s4u::Host*> make_hosts(const Machine& machine, const Schedule& schedule) {
  constexpr double idle_flops = 1; // no rank computes here
  s4u::NetZone& all = make_star_zone("all");
  s4u::NetZone& zone = make_full_zone(all, "collective");
  std::vector<s4u::Host*> hosts;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    hosts.push_back(zone.create_host(std::to_string(rank), idle_flops));
  }
  const RankLinks fabric = make_rank_links(zone, machine);
  FabricZone switches(all, machine);
  for (const auto& [from, to] : pairs_that_talk(schedule)) {
    zone.add_route(hosts[at(from)]->get_netpoint(), hosts[at(to)]->get_netpoint(), nullptr, nullptr,
                   route_of(fabric, switches, machine, from, to), false);
  }
  zone.seal();
  all.seal();
  return hosts;
}

} // namespace

std::vector<double> simulate_schedules(const Machine& machine, const std::vector<double>& sizes_bytes,
                                       const ScheduleOfSize& schedule_of) {
  if (sizes_bytes.empty()) return {};
  start_simgrid();
  const std::vector<s4u::Host*> hosts = make_hosts(machine, schedule_of(sizes_bytes.front()));
  const auto latency_s = [&](int from, int to) {
    return machine.node_of(from) == machine.node_of(to) ? machine.intra_latency_s : machine.net_latency_s;
  };
  return run_schedules(hosts, sizes_bytes, schedule_of, latency_s);
}

std::vector<double> simulate_rings(const Machine& machine, const std::vector<double>& sizes_bytes,
                                   const CollectiveAlgorithm& ring) {
  start_simgrid();
  simgrid::s4u::NetZone& zone = make_star_zone("ring");
  std::vector<PeriodEdge> edges;
  std::vector<SharedRoute> shared_routes;
  FabricZone fabric(zone, machine);
  for (int rank = 0; rank < machine.ranks; ++rank) {
    edges.push_back(ring_edge(machine, rank));
    shared_routes.push_back(fabric.route(machine.node_of(rank), machine.node_of((rank + 1) % machine.ranks)));
  }
  const auto ranks = make_ring_ranks(zone, "", edges, shared_routes);
  zone.seal();
  std::vector<double> times_s;
  for (const double size_bytes : sizes_bytes) {
    const int segments = ring.ring_segments != nullptr ? ring.ring_segments(machine, size_bytes) : 1;
    const int steps = segments * (machine.ranks - 1);
    RingSteps task{ring.ring_turns * steps, ring.ring_turns * steps};
    if (segments > 1) task = {steps, steps, segments_in_flight, ring.ring_turns};
    const auto end_s = run_ring(ranks, task, size_bytes / machine.ranks / segments).back().end_s;
    times_s.push_back(*std::max_element(end_s.begin(), end_s.end()));
  }
  return times_s;
}

} // namespace ddlsim
