#pragma once
#include "trainer/synchronisation/server_synchroniser.hpp"

namespace ddltrain {

/// Sums the workers' elements [first, first + count), in the order of workers. The sum overwrites the first worker's
/// elements.
const float* sum_pushes(std::vector<std::vector<float>>& pushes, std::size_t first, std::size_t count);

/// One server: holds its shards' parameters and momentum, receives gradients, updates, answers with parameters.
/// Synchronous: a shard is updated when every worker's gradient is there, summed in the order of workers, so a run
/// repeats to the bit. Asynchronous: each gradient is applied as it comes, in full where the plan's share is 1, and its
/// worker answered at once.
class ParameterServer {
public:
  /// parameters: all parameters of the model, flat, in the order of creation. `meeting` must outlive the server.
  ParameterServer(MpiCommunicator& meeting, const ServerPlan& plan, int server, const std::vector<float>& parameters);

  /// Serves until every worker has the answer of its last step.
  void serve();

  /// Copies this server's parameters to their places in the flat model.
  void copy_to(std::vector<float>& parameters) const;

  /// Returns how often other workers update a shard between a worker's pull and its next push, as the mean over all
  /// pushes; 0 if synchronous.
  double mean_staleness() const;

private:
  struct ServedShard {
    std::size_t shard = 0;
    std::size_t first = 0; ///< index in this server's own arrays
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
  std::vector<std::vector<float>> inbox_;  ///< one element per worker
  std::vector<std::vector<float>> outbox_; ///< one element per worker; used only when asynchronous
  std::vector<Transfer> receives_;         ///< receives in the order of workers, and of shards for each worker
  std::vector<Transfer> answers_;
  std::vector<std::size_t> seen_; ///< version of the last answer, indexed like receives_
  double staleness_ = 0;
  std::size_t pushes_ = 0;
};

} // namespace ddltrain
