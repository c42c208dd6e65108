#pragma once
// Which server holds which tensors: shared by the workers and servers of a job.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/synchronisation/gradient_groups.hpp"
#include "trainer/synchronisation/optimizer.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <cstddef>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {

/// A whole tensor, or the part of it that one server holds; each is one message.
struct Shard {
  std::size_t tensor = 0; ///< index of the tensor in the order of creation
  int server = 0;
  std::size_t first = 0; ///< index of the first element within the tensor
  std::size_t count = 0; ///< never 0
};

/// By the simulator's rules (ddlsim::place_tensors): round-robin, bytes, split at MXNet's bound, pieces, hash. Parts
/// are whole elements where the simulator has exact P-ths.
/// counts: elements of each tensor in the order created, none 0. Throws ddlsim::UserError on an unknown rule or fewer
/// than one server.
std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule);

/// Ranks here are those of the communicator that contains workers and servers.
struct ServerPlan {
  std::vector<std::size_t> counts; ///< elements of each tensor, in the order of creation
  std::vector<Shard> shards;       ///< the shards; the index of a shard identifies it in messages
  std::vector<int> server_ranks;   ///< rank of each server
  int workers = 1;                 ///< workers have the ranks 0 .. workers - 1
  bool asynchronous = false;
  std::size_t steps = 0; ///< number of steps of each worker
  SgdOptions sgd;
};

/// The MPI tag of the messages that push this shard.
inline int push_tag(std::size_t shard) {
  return static_cast<int>(2 * shard);
}
inline int pull_tag(std::size_t shard) {
  return static_cast<int>(2 * shard + 1);
}

/// Returns where each tensor starts in a flat array in the order of creation.
std::vector<std::size_t> starts_of(const std::vector<std::size_t>& counts);

/// A worker of parameter servers: pushes gradients and pulls parameters, a message a shard and direction. A group's
/// shards are pushed when the group is complete and pulled in the same breath: the server answers when it can.
/// overlapped: beside backward, by a thread; else all in finish. Fusion is for all-reduces: std::logic_error.
/// Parameters arrive where the model reads them; backward has no more use for them by the time their gradient is ready.
std::unique_ptr<Synchroniser> server_synchroniser(const GradientLayout& layout, const ModelMemory& memory,
                                                  Grouping grouping, bool overlapped, MpiCommunicator& meeting,
                                                  const ServerPlan& plan);

} // namespace ddltrain
