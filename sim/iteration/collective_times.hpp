#pragma once
// Times an iteration's collectives with the engine that a question asks for.

#include "sim/library/collective_cost.hpp"
#include "sim/network/machine.hpp"
#include "sim/simgrid/engine_choice.hpp"
#include "sim/simgrid/executor.hpp"

#include <cstddef>
#include <functional>
#include <vector>

namespace ddlsim {

/// One collective: its ranks and its cost. The machine must outlive this.
struct CollectiveRun {
  const Machine* machine = nullptr;
  CollectiveCost cost;

  bool operator==(const CollectiveRun&) const = default;
};

/// Returns the executor that times `operations` collectives of one kind, which together send that many bytes.
using ExecutorOf =
    std::function<const Executor&(const Machine& links, const CollectiveKind&, double size_bytes, int operations)>;

/// A collective that SimGrid timed, its time, and the executor that ran it.
struct TimedCollective {
  CollectiveRun run;
  const Executor* executor = nullptr;
  double time_s = 0;
};

/// The collectives that SimGrid timed in all passes so far over one graph.
using TimedCollectives = std::vector<TimedCollective>;

/// Returns the seconds of each collective when nothing else uses its links. Collectives on the same links are one run
/// of SimGrid, and equal ones run once. Those in `timed` are not run again; new ones are added to it.
SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, const ExecutorOf& executor_of,
                                TimedCollectives* timed = nullptr);

/// Returns the seconds of each collective by the engine that choose_collective() picks for it. `choice` becomes that
/// engine; where there are several, the one that is farthest from a run of every message.
SimulatedTimes time_collectives(const std::vector<CollectiveRun>& collectives, Fidelity requested, Choice& choice,
                                TimedCollectives* timed = nullptr);

/// Returns how a run by the formulas times these collectives, and whether a run of every message takes the same time.
Choice choose_formula(const std::vector<CollectiveRun>& collectives);

/// Returns the seconds of a collective; `number` is its place among all that a pass runs, from 0 on.
using CollectiveClock = std::function<double(std::size_t number, const CollectiveRun& collective)>;

/// A clock that returns the times of formula_s().
CollectiveClock clock_by_formula();

/// A clock that runs each collective on the executor when it is asked. Adds the messages that were run to `messages`.
/// Both must outlive the clock.
CollectiveClock clock_by(const Executor& executor, double& messages);

/// A clock with the times of SimGrid for the `collectives` of an earlier pass. With these times a pass may fuse other
/// tensors. A collective that is not in the list takes the time of its formula, multiplied by SimGrid's time over the
/// formula's for the collective with the same number.
CollectiveClock clock_of(std::vector<CollectiveRun> collectives, std::vector<double> times_s);

} // namespace ddlsim
