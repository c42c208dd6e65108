#pragma once
// Ranks in a ring on SimGrid: an actor each, which forwards what it gets. For every rank of a ring, or for those of one
// period.

#include "sim/collective/ring.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace simgrid::s4u {
class Host;
class Link;
class Mailbox;
class NetZone;
} // namespace simgrid::s4u

namespace ddlsim {

/// One rank: where it runs, where its messages arrive, and the delay of those.
struct RingRank {
  simgrid::s4u::Host* host = nullptr;
  simgrid::s4u::Mailbox* inbox = nullptr;
  double delay_s = 0;
};

/// Links that several ranks may cross.
using SharedRoute = std::vector<simgrid::s4u::Link*>;

/// Hosts `name`0, `name`1, ... in a star zone, and on the way out of each the links of its edge, then those of its
/// shared route, where there are any.
std::vector<RingRank> make_ring_ranks(simgrid::s4u::NetZone& zone, const std::string& name,
                                      const std::vector<PeriodEdge>& edges,
                                      const std::vector<SharedRoute>& shared_routes = {});

/// What each rank does; 0 < early <= steps.
struct RingSteps {
  int steps = 0;     ///< of a phase
  int early = 0;     ///< after which times are noted, too
  int in_flight = 1; ///< messages that a rank sends before it takes the first that comes to it
  int phases = 1;    ///< a rank begins the next with all messages of the one before
};

/// What a phase gave, seconds from the start of the run. Of each rank `in_flight` times in a row: the last but first
/// and so on, until the last, when it had sent its message and had the one that came: all that the steps behind depend
/// on.
struct RingRun {
  std::vector<double> early_s; ///< of `early` steps
  std::vector<double> end_s;   ///< of all steps
};

/// All ranks start together. A result a phase.
std::vector<RingRun> run_ring(const std::vector<RingRank>& ranks, const RingSteps& steps, double message_bytes);

} // namespace ddlsim
