#pragma once
// A collective of which one period of ranks is followed and stands for all others.

#include <algorithm>
#include <limits>
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

  /// Of the narrowest link.
  double rate_Bps() const {
    double narrowest_Bps = std::numeric_limits<double>::infinity();
    for (const PeriodLink& link : links) narrowest_Bps = std::min(narrowest_Bps, link.rate_Bps);
    return narrowest_Bps;
  }
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

} // namespace ddlsim
