#pragma once
// Who serves what: shared by the workers and servers of a job.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/synchronisation/momentum_sgd.hpp"
#include "trainer/synchronisation/sharding.hpp"

namespace ddltrain {

/// Ranks are those of the communicator on which workers and servers meet.
struct ServerPlan {
  std::vector<std::size_t> counts; ///< elements of each tensor, in the order created
  std::vector<Shard> shards;       ///< a shard's index here is its name in messages
  std::vector<int> server_ranks;   ///< by server
  int workers = 1;                 ///< ranks 0 .. workers - 1
  bool asynchronous = false;
  std::size_t steps = 0; ///< of each worker
  SgdOptions sgd;
};

/// Tags of a shard's messages.
inline int push_tag(std::size_t shard) {
  return static_cast<int>(2 * shard);
}
inline int pull_tag(std::size_t shard) {
  return static_cast<int>(2 * shard + 1);
}

/// Where each tensor starts in a flat array in the order created.
std::vector<std::size_t> starts_of(const std::vector<std::size_t>& counts);

} // namespace ddltrain
