#pragma once
// Runs collectives one after another beside compute. They are fused where the graph says so, and slow compute while
// they run.

#include "sim/iteration/collective_times.hpp"
#include "sim/iteration/execution.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <vector>

namespace ddlsim {

/// How the collectives of a graph are run, by their kind.
class CollectiveRunner {
public:
  /// The graph must outlive this object and every CollectiveRun that it makes.
  explicit CollectiveRunner(const Graph& graph);

  /// Returns the ranks and the cost of a collective of that kind with `size_bytes`.
  CollectiveRun run_of(OperationKind kind, double size_bytes);

  /// The ranks of a collective of that kind.
  const Machine& machine_for(OperationKind kind) { return *ranks_of(kind).machine; }

private:
  /// The ranks of a collective, and their library's choice of algorithm by size. The last cost is kept, because
  /// neighbouring layers are often equal.
  struct Ranks {
    const Machine* machine = nullptr;
    AlgorithmChooser chooser;
    double last_bytes = -1;
    CollectiveCost last_cost{};
  };

  Ranks& ranks_of(OperationKind kind);

  Ranks all_reduces_;
  Ranks reduce_scatters_;
  Ranks all_gathers_;
};

class CollectiveStream {
public:
  /// Writes the time span of each operation that it runs to `spans`. The graph and `spans` must outlive this object.
  CollectiveStream(const Graph& graph, CollectiveClock clock, std::vector<Span>& spans);

  /// Adds an operation, which may run from `ready_s` on; with fusion it waits for the next tick.
  void add(std::size_t operation, double ready_s);

  /// Runs all operations that wait for a tick.
  void run_waiting();

  /// Whether the operation still waits for a tick, so that its end is not known yet.
  bool waits_for_tick(std::size_t operation) const {
    return !waiting_.empty() && std::binary_search(waiting_.begin(), waiting_.end(), operation);
  }

  /// Returns when a compute ends that starts at `start_s` and takes `alone_s` undisturbed. A tick of the fusion in
  /// between runs first. Calls must be in the order of time.
  double compute_end_s(double start_s, double alone_s);

  const std::vector<Collective>& collectives() const { return collectives_; }

private:
  /// Collectives that run one after another, beside those of the other lane.
  struct Lane {
    std::vector<Span> spans;
    std::size_t past = 0; ///< number of spans that ended before the current compute
    double free_s = 0;
  };

  void run(const std::size_t* operations, std::size_t count, double ready_s);
  double end_beside_s(double now_s, double left_s);
  double end_beside_both_s(double now_s, double left_s);

  const Graph& graph_;
  std::vector<Span>& spans_;
  CollectiveClock clock_;
  CollectiveRunner runner_;
  std::vector<Collective> collectives_;
  double free_s_ = 0;
  std::array<Lane, 2> lanes_; ///< all-gathers and reduce-scatters of hybrid sharding; all-reduces
  std::size_t past_ = 0;      ///< number of collectives that ended before the current compute
  double tick_s_ = 0;         ///< the tick for which operations wait; else the earliest next tick, 0 before the first
  std::vector<std::size_t> waiting_; ///< operations that wait for the tick
};

} // namespace ddlsim
