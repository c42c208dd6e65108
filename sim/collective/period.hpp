#pragma once
// A collective of which one period of ranks is followed and stands for all others.

#include "sim/network/machine.hpp"

#include <vector>

namespace ddlsim {

/// One link on the way of a message. Where several messages of a step share it, its rate is that of one of them.
struct PeriodLink {
  const char* name = ""; ///< intra, nic-out, leaf-up, leaf-down, nic-in
  double rate_Bps = 0;
};

/// The way from a rank to the next one.
struct PeriodEdge {
  std::vector<PeriodLink> links;
  double latency_s = 0; ///< delays a message, and holds no link

  double rate_Bps() const; ///< of the narrowest link
};

/// Steps in which every rank sends one message to the next rank and waits for the one that comes to it; with two in
/// flight, for the one that came before. Only the ranks of one period are here: after the last of them comes, by
/// symmetry, the first.
struct PeriodSteps {
  std::vector<PeriodEdge> edges; ///< one a rank
  double message_bytes = 0;
  int steps = 0;
  int in_flight = 1;
  int phases = 1; ///< times that all steps are done; a rank begins the next with all messages of the one before
};

/// Edges of a ring's period: those of a node, or of a leaf whose uplink is narrower than a NIC.
std::vector<PeriodEdge> ring_period_edges(const Machine& machine);

} // namespace ddlsim
