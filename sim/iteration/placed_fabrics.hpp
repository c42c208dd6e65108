#pragma once
// The nodes that a job has on its cluster's fabric at each of its scales.

#include "sim/formats/cluster.hpp"
#include "sim/network/placed_fabric.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace ddlsim {

/// A job's nodes on the fabric, and the load that it puts on the fabric's links, computed once for each scale. Where
/// the transport joins the nodes of an NVLink domain, a node here is a domain.
class PlacedFabrics {
public:
  PlacedFabrics(const Cluster& cluster, const Transport& transport, CoLocation co_location);

  /// The fabric with the job on that many nodes; null where a Machine models all links by itself, see needs_links().
  /// Any thread may call it. Throws UserError as places_of() does.
  std::shared_ptr<const PlacedFabric> at(int nodes) const;

  /// The fabric with the job on that many nodes, then with each neighbour, whatever the placement. Throws UserError as
  /// places_of() does.
  std::vector<PlacedFabric> of_all_jobs(int nodes) const;

  /// Adds hosts that run servers only, after the nodes of all jobs. Throws UserError where the fabric has no place for
  /// them.
  void add_hosts(PlacedFabric& placed, int nodes, int hosts) const;

  const CoLocation& co_location() const { return co_location_; }

  /// The most nodes that the job may have: those of its list; or, where the cluster may grow, all nodes that its
  /// neighbours leave free.
  int most_job_nodes() const;

  /// Returns one sentence that says why the job cannot have that many nodes; "" where it can.
  std::string why_no_room(int nodes) const;

  /// Returns the same job on the same nodes, with neighbours that send nothing.
  std::shared_ptr<const PlacedFabrics> without_neighbours() const;

private:
  PlacedFabrics(const PlacedFabrics& other, CoLocation co_location);

  std::string why_taken_twice(int nodes) const;
  int units_of(int nodes) const;
  int nodes_to_deal_out(int wanted) const;
  PlacedFabric place(const NodePlacement& placement, int taken, int nodes, int of_all_jobs) const;

  Fabric fabric_; ///< the fabric in units of domains
  CoLocation co_location_;
  double nic_line_Bps_ = 0;
  int available_nodes_ = 0;
  int growth_nodes_ = 0;
  int domain_nodes_ = 1;
  int neighbour_nodes_ = 0; ///< number of domains of the neighbours, also of those that were removed
  mutable std::mutex placing_;
  mutable std::map<int, std::shared_ptr<const PlacedFabric>> known_;
};

} // namespace ddlsim
