#pragma once
// One pass over a graph: its operations in the order in which they stand.

#include "sim/iteration/collective_stream.hpp"
#include "sim/iteration/execution.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

class GraphPass {
public:
  /// `clock` times collectives, `executor` what else travels. Graph and executor must outlive this.
  GraphPass(const Graph& graph, CollectiveClock clock, const Executor& executor);

  /// Runs what stands before the first shard; all where no shard is left.
  void run_until_shards();

  /// The exchange of the shards that come next; empty where none are left.
  const ServerExchange& next_exchange();

  /// Runs what is left.
  Execution finish(const Executor& executor);

private:
  /// An operation, and when what it waits for has ended.
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
  std::vector<double> free_s_; ///< of each stream but the collectives'
  std::vector<Ready> shards_;  ///< that come next, once asked for
  ServerExchange exchange_;    ///< of them
  double async_iteration_s_ = 0;
  std::size_t next_ = 0; ///< operation
};

} // namespace ddlsim
