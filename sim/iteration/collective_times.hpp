#pragma once
// The seconds of an iteration's collectives, by the engine that a question asks for.

#include "sim/library/collective_cost.hpp"
#include "sim/network/machine.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace ddlsim {

/// One collective: the ranks that run it, which must outlive this, and its cost.
struct CollectiveRun {
  const Machine* machine = nullptr;
  CollectiveCost cost;

  bool operator==(const CollectiveRun&) const = default;
};

/// Returns the executor that times `operations` collectives of one kind, which together send that many bytes.
using ExecutorOf =
    std::function<const Executor&(const Machine& links, const CollectiveKind&, double size_bytes, int operations)>;

/// A collective that SimGrid timed, and by which executor.
struct TimedCollective {
  CollectiveRun run;
  const Executor* executor = nullptr;
  double time_s = 0;
};

/// Those of the passes so far over one graph.
using TimedCollectives = std::vector<TimedCollective>;

/// Seconds of each collective, alone on its links. Those that pass the same links are one run of SimGrid, and equal
/// ones are run once: also those that are in `timed`, to which what SimGrid runs is added.
SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, const ExecutorOf& executor_of,
                                TimedCollectives* timed = nullptr);

/// The same by the engines that choose_collective() takes. `choice` says which: where there are several, the one that
/// is least close to a run of every message.
SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, Fidelity requested, Choice& choice,
                                TimedCollectives* timed = nullptr);

/// What says of a run by the formulas whether a run of every message takes as long.
Choice choose_formula(const std::vector<CollectiveRun>& collectives);

/// Seconds of the collective that a pass runs as its first, second, ...
using CollectiveClock = std::function<double(std::size_t number, const CollectiveRun& collective)>;

/// Seconds by formula_s().
CollectiveClock clock_by_formula();

/// Each is asked of that executor when it comes, which must outlive the clock, as `messages` must.
CollectiveClock clock_by(const Executor& executor, double& messages);

/// A pass ran `collectives`, which SimGrid timed. A later pass may fuse others, because these times differ: one of those
/// takes its formula times SimGrid over formula of the collective with the same number.
CollectiveClock clock_of(std::vector<CollectiveRun> collectives, std::vector<double> times_s);

} // namespace ddlsim
