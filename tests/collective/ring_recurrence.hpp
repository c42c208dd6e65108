#pragma once
// The ring's recurrence step by step and rank by rank: slow, plain, and so the oracle of the closed form and the
// engine.

#include "sim/collective/ring.hpp"

#include <algorithm>
#include <vector>

namespace ddlsim {

/// Formulas 1 to 3 of sim/collective/ring.hpp, O(ranks^2).
inline double ring_by_recurrence_s(const Machine& machine, double size_bytes) {
  const int ranks = machine.ranks;
  const double chunk_bytes = size_bytes / ranks;
  std::vector<double> have_s(static_cast<std::size_t>(ranks), 0.0);
  std::vector<double> edge_free_s(static_cast<std::size_t>(ranks), 0.0);
  for (int step = 0; step < 2 * (ranks - 1); ++step) {
    std::vector<double> next_s(have_s.size());
    for (int rank = 0; rank < ranks; ++rank) {
      const auto r = static_cast<std::size_t>(rank);
      const PeriodEdge edge = ring_way(machine, rank);
      const double start_s = std::max(have_s[r], edge_free_s[r]);
      edge_free_s[r] = start_s + chunk_bytes / edge.rate_Bps();
      next_s[(r + 1) % have_s.size()] = edge_free_s[r] + edge.latency_s;
    }
    have_s = next_s;
  }
  return *std::max_element(have_s.begin(), have_s.end());
}

} // namespace ddlsim
