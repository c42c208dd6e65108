#pragma once
// Collectives in which one period of ranks is simulated and stands for all others.

#include <algorithm>
#include <limits>
#include <vector>

namespace ddlsim {

/// A link that a message crosses. Where several messages of a step share the link, rate_Bps is the rate of one of them.
struct PeriodLink {
  const char* name = ""; ///< intra, nic-out, leaf-up, leaf-down, nic-in
  double rate_Bps = 0;
};

/// The links from a rank to the next one.
struct PeriodEdge {
  std::vector<PeriodLink> links;
  double latency_s = 0; ///< delay of a message; it occupies no link

  /// The rate of the narrowest of the links.
  double rate_Bps() const {
    double narrowest_Bps = std::numeric_limits<double>::infinity();
    for (const PeriodLink& link : links) narrowest_Bps = std::min(narrowest_Bps, link.rate_Bps);
    return narrowest_Bps;
  }
};

/// Steps in which every rank sends one message to the next rank and waits for the message that comes to it; with two in
/// flight, for the message of the step before. Only the ranks of one period are listed: by symmetry the first one
/// follows the last.
struct PeriodSteps {
  std::vector<PeriodEdge> edges; ///< the edge of each rank
  double message_bytes = 0;
  int steps = 0;
  int in_flight = 1;
  /// number of times that all steps are repeated; a rank begins a repetition when it has all messages of the one before
  int phases = 1;
};

} // namespace ddlsim
