#pragma once
// One training iteration as a graph of operations, each with its kind, stream, size or time, and the operations that it
// waits for.

#include "sim/formats/names.hpp"
#include "sim/library/library_rules.hpp"
#include "sim/network/machine.hpp"

#include <cstddef>
#include <initializer_list>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

enum class OperationKind {
  compute,    ///< forward, backward or another part of an iteration on a GPU, seconds
  input,      ///< storage and loader prepare the samples of an iteration, seconds
  all_reduce, ///< gradients are summed over all workers, and every worker gets the sum
  reduce,     ///< one GPU of a node gets the sum over all GPUs of the node
  broadcast,  ///< that GPU sends the result to the other GPUs of the node
  /// each rank gets one part of a sum: on a path the ranks are a node's GPUs, as a collective all workers
  reduce_scatter,
  all_gather, ///< each rank gets the parts of all other ranks: parts of a sum, or of sharded parameters
  push_pull,  ///< a shard goes to its server, which sums all workers' copies and sends the sum back
  all_to_all, ///< each rank of a group sends a part to every other rank: tokens on their way to experts and back
  to_host,    ///< gradients are copied to host memory, seconds
  from_host,  ///< parameters are copied back from host memory, seconds
  /// the host's processors add a micro-batch's gradients to the earlier ones, seconds
  host_sum,
  host_update, ///< the host's processors run the optimizer, seconds
  send,        ///< each rank of a role sends to one rank of another role
};

/// Ranks that run the same operations, for example "worker".
struct Role {
  std::string name; ///< "worker", "slow worker", "stage 2"
  int ranks = 1;
};

/// Streams of kind compute, input and collectives run their operations in the order in which they were added. A path
/// inside a node and a connection to a server run the operation that is ready first. A stream of transfers runs sends
/// to another role, or collectives among the ranks of one role, one after another, each as if it were alone on its
/// links. In a graph with groups a stream of collectives does the same, and slows compute of its role. A stream of kind host runs copies in one direction, or the work of the host's processors.
enum class StreamKind { compute, input, collectives, path, connection, transfers, host };

struct Stream {
  StreamKind kind = StreamKind::compute;
  std::size_t role = 0; ///< index in Graph::roles
  int number = 0;       ///< number of the GPU whose path it is, or of the server
};

/// The part of an iteration that an operation of compute stands for. `whole` is forward and backward as one operation.
enum class ComputePart { whole, synchronisation, forward, backward };

struct Operation {
  OperationKind kind = OperationKind::compute;
  std::size_t stream = 0; ///< index in Graph::streams
  double duration_s = 0;  ///< time of compute, input, copies to and from the host, and work on the host
  double size_bytes = 0;  ///< size of an operation of any other kind
  /// the tensor whose gradient it computes or carries, by order of creation; the first of several; -1: none
  int tensor = -1;
  int tensors = 0;
  std::size_t first_wait = 0; ///< its waits are the next `waits` entries of Graph::waits from this index on
  std::size_t waits = 0;
  ComputePart part = ComputePart::whole; ///< the part of compute that the operation is
  int unit = -1;        ///< index in Graph::units of the unit that is computed, gathered or scattered; -1: none
  int micro_batch = -1; ///< micro-batch that is computed or sent; -1: all of them, or not stated
  int group = -1;       ///< index in Graph::groups of the ranks that run it; -1: the ranks of Graph::machine
  int repeats = 1;      ///< number of transfers of that size that follow each other; used by transfers only
  double copies_s = 0;  ///< part of duration_s in which a layout copies parameters for their gathers and scatters
  bool keys = false; ///< whether the operation gathers keys and values of a context group, or scatters their gradients
};

/// Ranks that run a collective, or send to each other, described as a machine of their own. A machine of two ranks
/// stands for all pairs that send at the same time.
struct TransferGroup {
  Machine machine;
  LibraryRules rules;

  bool operator==(const TransferGroup&) const = default;
};

/// Hybrid sharding: the ranks that all-gather and reduce-scatter one copy of the model, and the ranks, one of each
/// copy, that all-reduce gradients.
struct HybridGroups {
  TransferGroup shards;
  TransferGroup replicas;
};

/// Horovod's tensor fusion: once a cycle, all gradients that are ready are fused into collectives of at most
/// buffer_bytes.
struct Fusion {
  double cycle_s = 0;
  double buffer_bytes = 0;
};

/// How the parameter servers of an iteration work.
struct ServerRules {
  ServerMachine machine;
  int messages_per_node = 1;
  double message_cost_s = 0;   ///< software cost of one message at the server, each direction
  bool asynchronous = false;   ///< a server answers each worker at once, and no worker waits for the others
  double compute_spread_s = 0; ///< standard deviation of a worker's compute time, for asynchronous servers
};

/// The operations of one iteration. An operation waits only for earlier ones of the list. Operations of one kind that
/// follow each other on paths or connections share links.
struct Graph {
  Machine machine;
  std::vector<Role> roles;
  std::vector<Stream> streams;
  std::vector<Operation> operations;
  std::vector<std::size_t> waits;    ///< numbers of the operations that are waited for, see Operation::first_wait
  std::vector<std::string> units;    ///< names of FSDP's units, or of a pipeline's pieces; else empty
  std::vector<TransferGroup> groups; ///< ranks that run transfers, for model parallelism only

  LibraryRules rules;                 ///< the library's rules, by which each collective is run
  std::optional<HybridGroups> hybrid; ///< used with hybrid sharding, in place of machine and rules
  double collective_cost_s = 0;       ///< software cost of one collective
  double tensor_cost_s = 0;           ///< software cost of each tensor in a collective
  double interference = 0;            ///< compute advances 1/(1 + interference) as fast beside a collective
  std::optional<Fusion> fusion;

  double path_Bps = 0; ///< rate of a path inside a node
  ServerRules servers;
};

/// Whether the operation is on a stream of collectives, which runs them one after another.
inline bool is_collective(const Graph& graph, const Operation& operation) {
  return graph.streams[operation.stream].kind == StreamKind::collectives;
}

inline std::size_t add_role(Graph& graph, const std::string& name, int ranks) {
  graph.roles.push_back({name, ranks});
  return graph.roles.size() - 1;
}

inline std::size_t add_stream(Graph& graph, StreamKind kind, std::size_t role, int number = 0) {
  graph.streams.push_back({kind, role, number});
  return graph.streams.size() - 1;
}

/// Adds an operation that waits for the operations `after`; returns its number.
inline std::size_t add_operation(Graph& graph, const Operation& operation,
                                 std::initializer_list<std::size_t> after = {}) {
  graph.operations.push_back(operation);
  Operation& added = graph.operations.back();
  added.first_wait = graph.waits.size();
  added.waits = after.size();
  graph.waits.insert(graph.waits.end(), after);
  return graph.operations.size() - 1;
}

/// Makes the operation that was added last wait for one more operation.
inline void wait_for(Graph& graph, std::size_t operation) {
  graph.waits.push_back(operation);
  ++graph.operations.back().waits;
}

} // namespace ddlsim
