#pragma once
// Collectives one after another beside compute: fused where the graph says so, and slowing compute while they run.

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
  /// The graph must outlive this, and every CollectiveRun made by it.
  explicit CollectiveRunner(const Graph& graph);

  /// Of a collective of that kind and `size_bytes`.
  CollectiveRun run_of(OperationKind kind, double size_bytes) const;

private:
  /// Ranks, and what their library takes for each size.
  struct Ranks {
    const Machine* machine = nullptr;
    AlgorithmChooser chooser;
  };

  const Ranks& ranks_of(OperationKind kind) const;

  Ranks all_reduces_;
  Ranks reduce_scatters_;
  Ranks all_gathers_;
};

class CollectiveStream {
public:
  /// Writes the span of what it runs to `spans`. The graph and `spans` must outlive this.
  CollectiveStream(const Graph& graph, CollectiveClock clock, std::vector<Span>& spans);

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

  const Graph& graph_;
  std::vector<Span>& spans_;
  CollectiveClock clock_;
  CollectiveRunner runner_;
  std::vector<Collective> collectives_;
  double free_s_ = 0;
  std::array<Lane, 2> lanes_;        ///< hybrid sharding: all-gathers and reduce-scatters; all-reduces beside them
  std::size_t past_ = 0;             ///< collectives that ended before the compute of now
  double tick_s_ = 0;                ///< of what waits; else the earliest next one, 0 before any
  std::vector<std::size_t> waiting_; ///< for the tick
};

} // namespace ddlsim
