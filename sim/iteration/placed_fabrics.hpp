#pragma once
// Where a job stands on its cluster's fabric at each of its scales.

#include "sim/formats/cluster.hpp"
#include "sim/network/placed_fabric.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ddlsim {

/// One job's places and the load that it puts on the fabric's links, found once a scale. Where the transport joins the
/// nodes of an NVLink domain, a node here is a domain.
class PlacedFabrics {
public:
  PlacedFabrics(const Cluster& cluster, const Transport& transport, CoLocation co_location);

  /// Null where a Machine knows all links by itself, see needs_links(). From any thread. Throws UserError as
  /// places_of().
  std::shared_ptr<const PlacedFabric> at(int nodes) const;

  /// Of the job on so many nodes, then of each neighbour, whatever the placement. Throws UserError as places_of().
  std::vector<PlacedFabric> of_all_jobs(int nodes) const;

  /// Hosts for servers alone behind all jobs' nodes. Throws UserError where the fabric has no place for them.
  void add_hosts(PlacedFabric& placed, int nodes, int hosts) const;

  const CoLocation& co_location() const { return co_location_; }

  /// Nodes that the job may have at most: those of its list, or what its neighbours leave of the cluster as it may
  /// grow.
  int most_job_nodes() const;

  /// Why the job cannot have so many nodes, one sentence; "" where it can.
  std::string why_no_room(int nodes) const;

  /// The same job on the same nodes, as if its neighbours sent nothing.
  std::shared_ptr<const PlacedFabrics> without_neighbours() const;

private:
  PlacedFabrics(const PlacedFabrics& other, CoLocation co_location);

  std::string why_taken_twice(int nodes) const;
  int units_of(int nodes) const;
  int nodes_to_deal_out(int wanted) const;
  PlacedFabric place(const NodePlacement& placement, int taken, int nodes, int of_all_jobs) const;

  Fabric fabric_; ///< in units of domains
  CoLocation co_location_;
  double nic_line_Bps_ = 0;
  int available_nodes_ = 0;
  int growth_nodes_ = 0;
  int domain_nodes_ = 1;
  int neighbour_nodes_ = 0; ///< in domains; of those, too, that are taken away
  mutable std::mutex placing_;
  mutable std::map<int, std::shared_ptr<const PlacedFabric>> known_;
};

} // namespace ddlsim
