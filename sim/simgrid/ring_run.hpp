#pragma once
// Ranks in a ring on SimGrid. Each rank is an actor, which forwards what it receives. The ring has every rank, or only
// those of one period.

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

/// A rank of the ring: its host, the mailbox for its messages, and their delay at delivery.
struct RingRank {
  simgrid::s4u::Host* host = nullptr;
  simgrid::s4u::Mailbox* inbox = nullptr;
  double delay_s = 0;
};

/// Links that several ranks may cross.
using SharedRoute = std::vector<simgrid::s4u::Link*>;

/// Makes hosts `name`0, `name`1, ... in a star zone. The route out of each has the links of its edge, then those of its
/// shared route, if it has one.
std::vector<RingRank> make_ring_ranks(simgrid::s4u::NetZone& zone, const std::string& name,
                                      const std::vector<PeriodEdge>& edges,
                                      const std::vector<SharedRoute>& shared_routes = {});

/// The steps that each rank runs, with 0 < early <= steps.
struct RingSteps {
  int steps = 0;     ///< number of steps of one phase
  int early = 0;     ///< number of steps after which times are recorded too
  int in_flight = 1; ///< number of messages that a rank sends before it receives the first one
  int phases = 1;    ///< number of phases; a rank starts the next one when it has all messages of the one before
};

/// The result of a phase, in seconds from the start of the run. Each list has `in_flight` times in a row for each rank:
/// when it had sent its last message and had received each of its last `in_flight` messages, the oldest first. All
/// later steps depend only on these times.
struct RingRun {
  std::vector<double> early_s; ///< times after `early` steps
  std::vector<double> end_s;   ///< times after all steps
};

/// Starts all ranks together; returns one result for each phase.
std::vector<RingRun> run_ring(const std::vector<RingRank>& ranks, const RingSteps& steps, double message_bytes);

} // namespace ddlsim
