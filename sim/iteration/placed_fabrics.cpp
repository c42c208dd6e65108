#include "sim/iteration/placed_fabrics.hpp"

#include "sim/base/error.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

namespace ddlsim {
namespace {

/// The fabric whose nodes are NVLink domains.
Fabric of_domains(Fabric fabric, int domain_nodes) {
  if (!is_tree(fabric)) return fabric;
  fabric.nodes_per_leaf /= domain_nodes;
  for (auto& level : fabric.upper_levels) level.nodes /= domain_nodes;
  return fabric;
}

/// Line rate of all NICs of an NVLink domain, B/s.
double line_rate_Bps(const Cluster& cluster, const Transport& transport) {
  if (transport.nic.empty()) return 0;
  return nic_rate_Bps(find_nic(cluster, transport.nic), {.joined = 1.0 * domain_nodes(cluster, transport)});
}

} // namespace

PlacedFabrics::PlacedFabrics(const Cluster& cluster, const Transport& transport, CoLocation co_location)
    : fabric_(of_domains(fabric_over(cluster, transport), domain_nodes(cluster, transport))),
      co_location_(std::move(co_location)), nic_line_Bps_(line_rate_Bps(cluster, transport)),
      available_nodes_(cluster.available_nodes / domain_nodes(cluster, transport)),
      growth_nodes_(std::max(cluster.available_nodes, cluster.growth_max_nodes) / domain_nodes(cluster, transport)),
      domain_nodes_(domain_nodes(cluster, transport)) {
  for (const auto& neighbour : co_location_.neighbours) neighbour_nodes_ += units_of(neighbour.nodes);
}

PlacedFabrics::PlacedFabrics(const PlacedFabrics& other, CoLocation co_location)
    : fabric_(other.fabric_), co_location_(std::move(co_location)), nic_line_Bps_(other.nic_line_Bps_),
      available_nodes_(other.available_nodes_), growth_nodes_(other.growth_nodes_), domain_nodes_(other.domain_nodes_),
      neighbour_nodes_(other.neighbour_nodes_) {}

std::shared_ptr<const PlacedFabrics> PlacedFabrics::without_neighbours() const {
  CoLocation co_location = co_location_;
  co_location.neighbours.clear();
  return std::shared_ptr<const PlacedFabrics>(new PlacedFabrics(*this, std::move(co_location)));
}

int PlacedFabrics::most_job_nodes() const {
  const bool is_listed = co_location_.placement.order == NodeOrder::listed;
  const int listed =
      is_listed ? static_cast<int>(co_location_.placement.nodes.size()) : std::numeric_limits<int>::max();
  if (co_location_.neighbours.empty()) return listed; // other code limits the cluster's growth
  return std::min(listed, std::max(0, (growth_nodes_ - neighbour_nodes_) * domain_nodes_));
}

std::string PlacedFabrics::why_no_room(int nodes) const {
  if (nodes <= most_job_nodes()) return why_taken_twice(nodes);
  if (co_location_.placement.order == NodeOrder::listed &&
      nodes > static_cast<int>(co_location_.placement.nodes.size()))
    return fmt::format("{} nodes are needed, and /node_placement lists {}; list more, or ask for fewer GPUs", nodes,
                       co_location_.placement.nodes.size());
  return fmt::format("{} nodes and the neighbours' {} are more than the cluster may grow to ({}); ask for fewer", nodes,
                     neighbour_nodes_ * domain_nodes_, growth_nodes_ * domain_nodes_);
}

/// Returns why two jobs would share a node; "" where none do. Lists of nodes are compared where they are read. Nodes of
/// other jobs differ with the scale, and are compared here.
std::string PlacedFabrics::why_taken_twice(int nodes) const {
  const auto is_listed = [](const NodePlacement& placement) { return placement.order == NodeOrder::listed; };
  const auto& others = co_location_.neighbours;
  const bool one_is_listed =
      is_listed(co_location_.placement) ||
      std::any_of(others.begin(), others.end(), [&](const Neighbour& other) { return is_listed(other.placement); });
  if (others.empty() || !one_is_listed) return "";
  const auto jobs = of_all_jobs(units_of(nodes));
  std::map<int, std::size_t> job_of;
  for (std::size_t job = 0; job < jobs.size(); ++job)
    for (const int place : jobs[job].places) {
      const auto [taken, is_new] = job_of.emplace(place, job);
      if (is_new) continue;
      return fmt::format(
          "node {} would be {}'s and {}'s; give every job a \"node_placement\" that lists its nodes, or none", place,
          taken->second == 0 ? "the job" : others[taken->second - 1].name, others[job - 1].name);
    }
  return "";
}

int PlacedFabrics::units_of(int nodes) const {
  return (nodes + domain_nodes_ - 1) / domain_nodes_;
}

/// Number of nodes over which jobs are spread: the nodes of the cluster, or as many as all jobs need where these are
/// too few.
int PlacedFabrics::nodes_to_deal_out(int wanted) const {
  const int places = nodes_of_fabric(fabric_);
  return places > 0 ? places : std::max(wanted, available_nodes_);
}

PlacedFabric PlacedFabrics::place(const NodePlacement& placement, int taken, int nodes, int of_all_jobs) const {
  if (placement.order == NodeOrder::listed && domain_nodes_ > 1)
    throw UserError("", "/node_placement", "NCCL takes whole NVLink domains; leave the list of nodes out");
  const bool is_listed = placement.order == NodeOrder::listed;
  const int places = nodes_of_fabric(fabric_);
  const int listable = places > 0 ? places : growth_nodes_;
  return {fabric_,
          nic_line_Bps_,
          co_location_.background_traffic,
          places_of(fabric_, placement, is_listed ? listable : nodes_to_deal_out(of_all_jobs), taken, nodes),
          {}};
}

void PlacedFabrics::add_hosts(PlacedFabric& placed, int nodes, int hosts) const {
  const int places = nodes_of_fabric(fabric_);
  const int first = nodes_to_deal_out(nodes + neighbour_nodes_);
  if (places > 0 && first + hosts > places)
    throw UserError("", "/neighbours",
                    fmt::format("the fabric's {} nodes have no place for {} hosts of servers beside all jobs; ask for "
                                "fewer, or for servers on the workers' nodes",
                                places, hosts));
  for (int host = first; host < first + hosts; ++host) placed.places.push_back(host);
}

std::shared_ptr<const PlacedFabric> PlacedFabrics::at(int nodes) const {
  if (nodes < 2 || nic_line_Bps_ <= 0 || !needs_links(fabric_, co_location_.placement)) return nullptr;
  const std::lock_guard<std::mutex> lock(placing_);
  auto& known = known_[nodes];
  if (known) return known;
  auto placed = place(co_location_.placement, 0, nodes, nodes + neighbour_nodes_);
  placed.load = fabric_load(placed, nodes);
  const int fabric_places = nodes_of_fabric(fabric_);
  const int first = nodes_to_deal_out(nodes + neighbour_nodes_);
  add_hosts(placed, nodes, fabric_places > 0 ? std::clamp(fabric_places - first, 0, nodes) : nodes);
  known = std::make_shared<const PlacedFabric>(std::move(placed));
  return known;
}

std::vector<PlacedFabric> PlacedFabrics::of_all_jobs(int nodes) const {
  const int of_all = nodes + neighbour_nodes_;
  std::vector<PlacedFabric> jobs{place(co_location_.placement, 0, nodes, of_all)};
  int taken = nodes;
  for (const auto& neighbour : co_location_.neighbours) {
    const int units = units_of(neighbour.nodes);
    jobs.push_back(place(neighbour.placement, taken, units, of_all));
    taken += units;
  }
  return jobs;
}

} // namespace ddlsim
