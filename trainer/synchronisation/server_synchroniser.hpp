#pragma once
// Who serves what: shared by the workers and servers of a job.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

/// One message of a tensor: all of it, or the part that one server holds.
struct Shard {
  std::size_t tensor = 0; ///< in the order created
  int server = 0;
  std::size_t first = 0; ///< element of the tensor
  std::size_t count = 0; ///< never 0
};

/// By the simulator's rules (ddlsim::place_tensors): round-robin, bytes, split at MXNet's bound, pieces, hash. Parts
/// are whole elements where the simulator has exact P-ths.
/// counts: elements of each tensor in the order created, none 0. Throws ddlsim::UserError on an unknown rule or fewer
/// than one server.
std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule);

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

/// A worker of parameter servers: pushes gradients and pulls parameters, a message a shard and direction. A group's
/// shards are pushed when the group is complete and pulled in the same breath: the server answers when it can.
/// overlapped: beside backward, by a thread; else all in finish. Fusion is for all-reduces: std::logic_error.
/// Parameters arrive where the model reads them; backward has no more use for them by the time their gradient is ready.
std::unique_ptr<Synchroniser> server_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                  Grouping grouping, bool overlapped, MpiCommunicator& meeting,
                                                  const ServerPlan& plan);

} // namespace ddltrain
