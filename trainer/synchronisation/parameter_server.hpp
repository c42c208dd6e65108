#pragma once
#include "trainer/synchronisation/server_synchroniser.hpp"

namespace ddltrain {

/// The sum of each worker's elements [first, first + count), in the order of workers; it takes the first one's place.
const float* sum_pushes(std::vector<std::vector<float>>& pushes, std::size_t first, std::size_t count);

/// One server: holds its shards' parameters and momentum, receives gradients, updates, answers with parameters.
/// Synchronous: a shard is updated when every worker's gradient is there, summed in the order of workers, so a run
/// repeats to the bit. Asynchronous: each gradient is applied as it comes, in full where the plan's share is 1, and its
/// worker answered at once.
class ParameterServer {
public:
  /// parameters: all of the model, flat, in the order created. `meeting` must outlive the server.
  ParameterServer(MpiCommunicator& meeting, const ServerPlan& plan, int server, const std::vector<float>& parameters);

  /// Returns when every worker has been answered for its last step.
  void serve();

  /// Puts what this server holds where it belongs in the flat model.
  void copy_to(std::vector<float>& parameters) const;

  /// Updates of a shard by others between a worker's pull and its next push, mean over all pushes; 0 if synchronous.
  double mean_staleness() const;

private:
  struct ServedShard {
    std::size_t shard = 0;
    std::size_t first = 0; ///< in this server's own arrays
    std::size_t count = 0;
    std::size_t version = 0;
  };

  void serve_synchronous_step(std::size_t step);
  void sum_and_update(ServedShard& served, std::size_t step);
  void serve_asynchronous();
  void answer(std::size_t slot, std::size_t step);
  Transfer receive(std::size_t worker, const ServedShard& served);

  MpiCommunicator& meeting_;
  const ServerPlan plan_;
  std::vector<ServedShard> served_;
  std::vector<float> parameters_;
  MomentumSgd sgd_;
  std::vector<std::vector<float>> inbox_;  ///< by worker
  std::vector<std::vector<float>> outbox_; ///< by worker; asynchronous only
  std::vector<Transfer> receives_;         ///< by worker, then by shard held
  std::vector<Transfer> answers_;
  std::vector<std::size_t> seen_; ///< version answered last, as receives_
  double staleness_ = 0;
  std::size_t pushes_ = 0;
};

} // namespace ddltrain
