#pragma once
// One pass over a graph: it runs the operations in the order in which they stand.

#include "sim/iteration/collective_stream.hpp"
#include "sim/iteration/execution.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

class GraphPass {
public:
  /// `clock` times collectives, and `executor` all other transfers. Graph and executor must outlive this object.
  GraphPass(const Graph& graph, CollectiveClock clock, const Executor& executor);

  /// Runs the operations before the next shards, or all operations where no shard is left.
  void run_until_shards();

  /// Returns the exchange of the shards that come next; it is empty where none are left.
  const ServerExchange& next_exchange();

  /// Runs all operations that are left.
  Execution finish(const Executor& executor);

private:
  /// An operation, and when all operations that it waits for have ended.
  struct Ready {
    std::size_t operation = 0;
    double ready_s = 0;
  };

  void find_ends();
  void run_next();
  void run_compute(std::size_t operation);
  void run_alone(std::size_t operation);
  void run_paths();
  void run_shards();
  void run_asynchronous(const ServerExchange& exchange);

  double ended_s(std::size_t operation);
  double ready_s(std::size_t operation);
  double start_s(std::size_t operation);
  void end_at(std::size_t operation, double start_s, double end_s);
  std::vector<Ready> next_by_readiness();

  const Graph& graph_;
  const Executor* executor_;
  Execution execution_;
  CollectiveStream collectives_;
  std::vector<double> free_s_; ///< time at which each stream is free; collectives have streams of their own
  std::vector<Ready> shards_;  ///< the next shards, after next_exchange() was called
  ServerExchange exchange_;    ///< the exchange of these shards
  double async_iteration_s_ = 0;
  std::size_t next_ = 0; ///< number of the next operation
};

} // namespace ddlsim
