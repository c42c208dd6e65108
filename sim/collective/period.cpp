#include "sim/collective/period.hpp"

#include "sim/collective/ring.hpp"

#include <algorithm>
#include <limits>

namespace ddlsim {

double PeriodEdge::rate_Bps() const {
  double narrowest_Bps = std::numeric_limits<double>::infinity();
  for (const PeriodLink& link : links) narrowest_Bps = std::min(narrowest_Bps, link.rate_Bps);
  return narrowest_Bps;
}

std::vector<PeriodEdge> ring_period_edges(const Machine& machine) {
  std::vector<PeriodEdge> edges;
  for (int rank = 0; rank < ring_period(machine); ++rank) edges.push_back(ring_way(machine, rank));
  return edges;
}

} // namespace ddlsim
