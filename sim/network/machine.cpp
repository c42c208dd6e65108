#include "sim/network/machine.hpp"

#include "sim/base/error.hpp"
#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>

namespace ddlsim {
namespace {

/// Rate between processes of one host where the cluster file has no path between GPUs: one core copies memory at about
/// 10 GB/s (STREAM copy, one core of a 2014-2018 server). With a NIC of 0.1-3 GB/s it is never the bottleneck.
constexpr double loopback_Bps = 10e9;

bool staged_through_host(const Transport& transport) {
  const auto carrier = carrier_of(transport.name);
  return carrier == Carrier::mpi || carrier == Carrier::gloo;
}

} // namespace

std::string network_complaint(const Transport& transport, int gpus, int gpus_per_node) {
  if (!transport.nic.empty() || gpus <= gpus_per_node) return "";
  return fmt::format("{} GPUs are on several nodes, and {} stays inside one; ask for at most {}, or for a preset or "
                     "transport that has a network",
                     gpus, transport.name, gpus_per_node);
}

int domain_nodes(const Cluster& cluster, const Transport& transport) {
  return carrier_of(transport.name) == Carrier::nccl ? cluster.intra.domain_nodes : 1;
}

Fabric fabric_over(const Cluster& cluster, const Transport& transport) {
  Fabric fabric = cluster.fabric;
  if (fabric.kind != FabricKind::rails || transport.nic.empty()) return fabric;
  const bool stays = carrier_of(transport.name) == Carrier::nccl || find_nic(cluster, transport.nic).count == 1;
  if (stays) fabric.kind = FabricKind::fat_tree;
  return fabric;
}

Machine build_machine(const Cluster& cluster, const Transport& transport, const Parameters& parameters, int gpus,
                      int gpus_per_node, std::shared_ptr<const PlacedFabric> fabric) {
  const int joined = domain_nodes(cluster, transport);
  Machine machine;
  machine.ranks = gpus;
  machine.ranks_per_node = std::max(1, std::min(gpus, gpus_per_node * joined));
  if (const auto why = network_complaint(transport, gpus, machine.ranks_per_node); !why.empty())
    throw UserError("", "/transport", why);
  machine.intra_Bps =
      cluster.intra.bandwidth_Bps > 0 ? cluster.intra.bandwidth_Bps * parameters.intra_efficiency : loopback_Bps;
  machine.intra_latency_s = cluster.intra.latency_s * parameters.intra_latency_factor;
  if (transport.nic.empty()) return machine;

  const bool staged = staged_through_host(transport);
  machine.nic_Bps =
      nic_rate_Bps(find_nic(cluster, transport.nic), {.efficiency = parameters.nic_efficiency,
                                                      .socket_Bps = parameters.socket_Bps,
                                                      .link_spread = parameters.link_spread,
                                                      .nodes = machine.nodes(),
                                                      .joined = 1.0 * joined,
                                                      .sharers = staged ? 1.0 * machine.ranks_per_node : 1});
  const double hops = fabric ? fabric->load.hops : 1;
  machine.net_latency_s = parameters.net_latency_s + hops * cluster.fabric.hop_latency_s;
  machine.fabric = std::move(fabric);
  if (is_tree(cluster.fabric) && !machine.fabric) {
    machine.nodes_per_leaf = cluster.fabric.nodes_per_leaf / joined;
    machine.uplink_Bps = nic_rate_Bps(machine.nic_Bps, {.joined = machine.nodes_per_leaf / cluster.fabric.blocking});
  }
  if (staged) {
    machine.intra_Bps = machine.nic_Bps;
    machine.intra_latency_s = machine.net_latency_s;
  }
  return machine;
}

double link_Bps(const Machine& machine, const PlacedFabric& placed, std::size_t link) {
  return nic_rate_Bps(machine.nic_Bps, {.joined = link_line_Bps(placed, link) / placed.nic_line_Bps});
}

double Machine::nic_Bps_of(int node) const {
  return nic_rate_Bps(nic_Bps, {.slow_factor = node == 0 ? slow_nic_factor : 1});
}

double Machine::both_ways_Bps() const {
  constexpr double directions = 2;
  return nic_rate_Bps(nic_Bps, {.joined = directions, .duplex = nic_duplex});
}

double Machine::busy_nic_Bps() const {
  return nic_rate_Bps(nic_Bps, {.duplex = nic_duplex});
}

Machine all_nics_slow(Machine machine) {
  machine.nic_Bps = machine.nic_Bps_of(0);
  machine.slow_nic_factor = 1;
  return machine;
}

double negotiation_hops(const Machine& machine, const Transport& transport) {
  if (staged_through_host(transport)) return std::log2(machine.ranks);
  return machine.nodes() > 1 ? 1 + std::log2(machine.nodes()) : 0;
}

namespace {

/// The rate to which the cores of its node limit a server, B/s; 0: they do not limit it.
double cores_limit_Bps(const ServerMachine& servers, const Machine& machine, int cores_per_node) {
  const int servers_of_node = servers.dedicated ? 1 : (servers.servers + machine.nodes() - 1) / machine.nodes();
  const double cores = std::max(1.0, static_cast<double>(cores_per_node) / servers_of_node);
  return cores_per_node > 0 ? cores * servers.connection_Bps : 0;
}

} // namespace

ServerMachine build_servers(const Strategy& strategy, const Machine& machine, const Parameters& parameters,
                            int cores_per_node) {
  ServerMachine servers;
  const int stated = server_count(strategy.servers, machine.ranks, machine.nodes());
  servers.servers = stated > 0 ? stated : machine.nodes();
  servers.dedicated = strategy.placement == Placement::dedicated;
  servers.process_Bps = parameters.server_process_Bps;
  servers.connection_Bps = parameters.server_connection_Bps;
  const double limit_Bps = cores_limit_Bps(servers, machine, cores_per_node);
  if (limit_Bps > 0)
    servers.process_Bps = servers.process_Bps > 0 ? std::min(servers.process_Bps, limit_Bps) : limit_Bps;
  return servers;
}

int ranks_of_full_node(const Machine& machine) {
  return std::min(machine.ranks, machine.ranks_per_node);
}

int ranks_of_node(const Machine& machine, int node) {
  return std::min(machine.ranks_per_node, machine.ranks - node * machine.ranks_per_node);
}

bool has_leaves(const Machine& machine) {
  return machine.nodes_per_leaf > 0 && machine.nodes() > machine.nodes_per_leaf;
}

bool has_slow_node(const Machine& machine) {
  return machine.nodes() > 1 && machine.slow_nic_factor != 1;
}

void require_rates(const Machine& machine) {
  if (ranks_of_full_node(machine) > 1 && !(machine.intra_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate inside a node is not above zero");
  if (machine.nodes() > 1 && !(machine.nic_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate of a node's NIC is not above zero");
  if (has_leaves(machine) && !(machine.uplink_Bps > 0))
    throw std::invalid_argument("all-reduce: the rate of a leaf's uplink is not above zero");
}

} // namespace ddlsim
