#pragma once
// Where a job stands on its cluster's fabric at each of its scales.

#include "sim/formats/cluster.hpp"
#include "sim/network/placed_fabric.hpp"

#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace ddlsim {

/// One job's places and the load that it puts on the fabric's links, found once a scale. Where the transport joins the
/// nodes of an NVLink domain, a node here is a domain.
class PlacedFabrics {
public:
  PlacedFabrics(const Cluster& cluster, const Transport& transport, Surroundings around);

  /// Null where a Machine knows all links by itself, see needs_links(). From any thread. Throws UserError as places_of().
  std::shared_ptr<const PlacedFabric> at(int nodes) const;

  /// The same with every link between switches, for jobs that share them; `jobs_nodes` are those of the job and then of
  /// its neighbours. The places of each job are one after another in the answer.
  std::vector<PlacedFabric> of_all_jobs(int nodes) const;

  const Surroundings& around() const { return around_; }

private:
  PlacedFabric place(const NodePlacement& placement, int taken, int nodes, int hosts) const;
  int most_nodes(int wanted) const;

  Fabric fabric_; ///< in units of domains
  Surroundings around_;
  double nic_line_Bps_ = 0;
  int available_nodes_ = 0;
  int growth_nodes_ = 0;
  int domain_nodes_ = 1;
  mutable std::mutex placing_;
  mutable std::map<int, std::shared_ptr<const PlacedFabric>> known_;
};

} // namespace ddlsim
