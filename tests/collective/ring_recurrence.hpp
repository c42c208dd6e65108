#pragma once
// The ring's recurrence step by step and rank by rank: slow, plain, and so the oracle of the closed form and the
// engine.

#include "sim/collective/ring.hpp"
#include "sim/collective/segmented_ring.hpp"

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
      const PeriodEdge edge = ring_edge(machine, rank);
      const double start_s = std::max(have_s[r], edge_free_s[r]);
      edge_free_s[r] = start_s + chunk_bytes / edge.rate_Bps();
      next_s[(r + 1) % have_s.size()] = edge_free_s[r] + edge.latency_s;
    }
    have_s = next_s;
  }
  return *std::max_element(have_s.begin(), have_s.end());
}

/// Of a ring in segments: segment by segment and rank by rank, as sim/collective/segmented_ring.hpp has it.
inline double segmented_ring_by_recurrence_s(const Machine& machine, double size_bytes) {
  const auto ranks = static_cast<std::size_t>(machine.ranks);
  const int segments = segments_of_chunk(machine, size_bytes);
  const int messages = segments * (machine.ranks - 1);
  const double segment_bytes = size_bytes / machine.ranks / segments;
  std::vector<double> begins_s(ranks, 0);
  for (int half = 0; half < 2; ++half) {
    std::vector<double> free_s = begins_s;
    std::vector<double> came_s = begins_s;   // segment i-1
    std::vector<double> before_s = begins_s; // and i-2
    for (int i = 0; i < messages; ++i) {
      std::vector<double> next_s(ranks);
      for (std::size_t rank = 0; rank < ranks; ++rank) {
        const PeriodEdge edge = ring_edge(machine, static_cast<int>(rank));
        free_s[rank] = std::max(free_s[rank], before_s[rank]) + segment_bytes / edge.rate_Bps();
        next_s[(rank + 1) % ranks] = free_s[rank] + edge.latency_s;
      }
      before_s = came_s;
      came_s = next_s;
    }
    for (std::size_t rank = 0; rank < ranks; ++rank)
      begins_s[rank] = std::max({free_s[rank], came_s[rank], before_s[rank]});
  }
  return *std::max_element(begins_s.begin(), begins_s.end());
}

} // namespace ddlsim
