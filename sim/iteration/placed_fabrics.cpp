#include "sim/iteration/placed_fabrics.hpp"

#include "sim/base/error.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

/// The fabric with domains in place of nodes.
Fabric of_domains(Fabric fabric, int domain_nodes) {
  if (fabric.kind != FabricKind::fat_tree) return fabric;
  fabric.nodes_per_leaf /= domain_nodes;
  for (auto& level : fabric.upper_levels) level.nodes /= domain_nodes;
  return fabric;
}

double line_rate_Bps(const Cluster& cluster, const Transport& transport) {
  if (transport.nic.empty()) return 0;
  const Nic& nic = find_nic(cluster, transport.nic);
  return nic.bandwidth_Bps * nic.count;
}

} // namespace

PlacedFabrics::PlacedFabrics(const Cluster& cluster, const Transport& transport, Surroundings around)
    : fabric_(of_domains(cluster.fabric, domain_nodes(cluster, transport))), around_(std::move(around)),
      nic_line_Bps_(line_rate_Bps(cluster, transport) * domain_nodes(cluster, transport)),
      available_nodes_(cluster.available_nodes / domain_nodes(cluster, transport)),
      growth_nodes_(cluster.growth_max_nodes / domain_nodes(cluster, transport)),
      domain_nodes_(domain_nodes(cluster, transport)) {}

/// Jobs are dealt out over the nodes that are there, and over those that may be bought where there are too few.
int PlacedFabrics::most_nodes(int wanted) const {
  if (const int places = nodes_of_fabric(fabric_); places > 0) return places;
  return wanted <= available_nodes_ ? available_nodes_ : std::max(wanted, growth_nodes_);
}

PlacedFabric PlacedFabrics::place(const NodePlacement& placement, int taken, int nodes, int hosts) const {
  if (placement.order == NodeOrder::listed && domain_nodes_ > 1)
    throw UserError("", "/node_placement", "NCCL takes whole NVLink domains; leave the list of nodes out");
  PlacedFabric placed{fabric_, nic_line_Bps_, around_.background_traffic, {}, {}};
  const int most = most_nodes(taken + nodes);
  const int room = placement.order == NodeOrder::listed ? static_cast<int>(placement.nodes.size()) : most - taken;
  placed.places = places_of(fabric_, placement, most, taken, std::max(nodes, std::min(nodes + hosts, room)));
  return placed;
}

std::shared_ptr<const PlacedFabric> PlacedFabrics::at(int nodes) const {
  if (nodes < 2 || nic_line_Bps_ <= 0 || !needs_links(fabric_, around_.placement)) return nullptr;
  const std::lock_guard<std::mutex> lock(placing_);
  auto& known = known_[nodes];
  if (known) return known;
  auto placed = place(around_.placement, 0, nodes, nodes); // as many hosts again, for servers
  placed.load = fabric_load(placed, nodes);
  known = std::make_shared<const PlacedFabric>(std::move(placed));
  return known;
}

std::vector<PlacedFabric> PlacedFabrics::of_all_jobs(int nodes) const {
  std::vector<PlacedFabric> jobs{place(around_.placement, 0, nodes, 0)};
  int taken = nodes;
  for (const auto& neighbour : around_.neighbours) {
    const int units = (neighbour.nodes + domain_nodes_ - 1) / domain_nodes_;
    jobs.push_back(place(neighbour.placement, taken, units, 0));
    taken += units;
  }
  return jobs;
}

} // namespace ddlsim
