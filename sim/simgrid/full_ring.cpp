#include "sim/collective/ring.hpp"
#include "sim/collective/segmented_ring.hpp"
#include "sim/simgrid/fabric_zone.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/ring_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>

namespace ddlsim {

std::vector<double> simulate_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes,
                                              const AllReduceAlgorithm& ring) {
  start_simgrid();
  simgrid::s4u::NetZone& zone = *simgrid::s4u::create_star_zone("ring");
  std::vector<PeriodEdge> edges;
  std::vector<SharedWay> shared_ways;
  FabricZone fabric(zone, machine);
  for (int rank = 0; rank < machine.ranks; ++rank) {
    edges.push_back(ring_way(machine, rank));
    shared_ways.push_back(fabric.way(machine.node_of(rank), machine.node_of((rank + 1) % machine.ranks)));
  }
  const auto ranks = make_ring_ranks(zone, "", edges, shared_ways);
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
