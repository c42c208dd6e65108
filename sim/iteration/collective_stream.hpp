#pragma once
// Collectives one after another beside compute: fused where the graph says so, and slowing compute while they run.

#include "sim/iteration/execution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <map>
#include <vector>

namespace ddlsim {

/// Collectives of one kind by their size: each size is timed once, the way that its library takes.
class TimedSizes {
public:
  /// Machine and executor must outlive this.
  TimedSizes(const Machine& machine, const SumRules& rules, const Executor& executor)
      : machine_(machine), ways_(sum_ways(rules, machine.ranks)), executor_(executor) {}

  /// Times all of them together, which is one run of SimGrid.
  void add(std::vector<double> sizes_bytes);

  /// Of one collective; timed now where it was not added.
  double time_s(double size_bytes);

  Way way_of_size(double size_bytes) const { return way_of(ways_, size_bytes); }

  double simgrid_messages() const { return simgrid_messages_; }

private:
  std::vector<double> time(const std::vector<double>& sizes_bytes);

  const Machine& machine_;
  SumWays ways_;
  const Executor& executor_;
  std::vector<double> sizes_bytes_; ///< ascending
  std::vector<double> times_s_;     ///< of each
  double simgrid_messages_ = 0;
};

/// Sizes of collectives that will come, by kind.
using ExpectedSizes = std::map<OperationKind, std::vector<double>>;

class CollectiveStream {
public:
  /// Writes the span of what it runs to `spans`. The arguments must outlive this.
  CollectiveStream(const Graph& graph, const Executor& executor, std::vector<Span>& spans);

  /// These sizes will come, and those of a kind are timed in one run of SimGrid.
  void expect(const ExpectedSizes& sizes_bytes);

  /// One more operation, which may run from `ready_s` on; with fusion it waits for the next tick.
  void add(std::size_t operation, double ready_s);

  /// Runs what waits for a tick.
  void run_waiting();

  /// Where that has to be known before the operation's end is.
  bool waits_for_tick(std::size_t operation) const {
    return !waiting_.empty() && std::binary_search(waiting_.begin(), waiting_.end(), operation);
  }

  /// When compute that takes `alone_s` undisturbed has ended. A tick that falls into it runs first. Ask in order of
  /// time.
  double compute_end_s(double start_s, double alone_s);

  const std::vector<Collective>& collectives() const { return collectives_; }
  double simgrid_messages() const {
    return sums_.simgrid_messages() + scatters_.simgrid_messages() + gathers_.simgrid_messages();
  }

private:
  /// What runs one after another.
  struct Lane {
    std::vector<Span> spans;
    std::size_t past = 0; ///< those that ended before the compute of now
    double free_s = 0;
  };

  void run(const std::size_t* operations, std::size_t count, double ready_s);
  double end_beside_s(double now_s, double left_s);
  double end_beside_both_s(double now_s, double left_s);
  TimedSizes& sizes_of(OperationKind kind);

  const Graph& graph_;
  std::vector<Span>& spans_;
  TimedSizes sums_;
  TimedSizes scatters_;
  TimedSizes gathers_;
  std::vector<Collective> collectives_;
  double free_s_ = 0;
  std::array<Lane, 2> lanes_;        ///< hybrid sharding: gathers and scatters; sums beside them
  std::size_t past_ = 0;             ///< collectives that ended before the compute of now
  double tick_s_ = 0;                ///< of what waits; else the earliest next one, 0 before any
  std::vector<std::size_t> waiting_; ///< for the tick
};

} // namespace ddlsim
