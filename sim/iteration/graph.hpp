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
  compute,        ///< seconds on a GPU
  input,          ///< seconds until storage and loader have an iteration's samples
  all_reduce,     ///< gradients are summed over all workers, and every worker gets the sum
  reduce,         ///< one GPU of a node gets the sum over all GPUs of the node
  broadcast,      ///< that GPU sends the result to the other GPUs of the node
  reduce_scatter, ///< each rank gets one part of a sum: over a node's GPUs on a path, over all workers as a collective
  all_gather,     ///< each rank gets the parts of all others: of such a sum, or of sharded parameters
  push_pull,      ///< a shard goes to its server, which sums all workers' copies and sends the sum back
  all_to_all,     ///< each rank of a group sends a part to every other rank: tokens on their way to experts and back
  to_host,        ///< gradients are copied to host memory, seconds
  from_host,      ///< parameters are copied back from host memory, seconds
  host_sum,       ///< the host's processors add a micro-batch's gradients to the earlier ones, seconds
  host_update,    ///< the host's processors run the optimizer, seconds
  send,           ///< each rank of a role sends to one rank of another role
};

/// Ranks that run the same operations.
struct Role {
  std::string name; ///< worker, slow worker, stage 2
  int ranks = 1;
};

/// Streams of kind compute, input and collectives run their operations in the order in which they were added. A path
/// inside a node and a connection to a server run the operation that is ready first. A stream of transfers runs sends
/// to another role, or collectives among the ranks of one role, one after another, each as if it were alone on its
/// links. A stream of kind host runs copies in one direction, or the work of the host's processors.
enum class StreamKind { compute, input, collectives, path, connection, transfers, host };

struct Stream {
  StreamKind kind = StreamKind::compute;
  std::size_t role = 0; ///< in Graph::roles
  int number = 0;       ///< of the GPU whose path it is, or of the server
};

/// The part of an iteration that an operation of compute stands for; `whole`: forward and backward as one operation.
enum class ComputePart { whole, synchronisation, forward, backward };

struct Operation {
  OperationKind kind = OperationKind::compute;
  std::size_t stream = 0; ///< in Graph::streams
  double duration_s = 0;  ///< of compute, input, and copies to, copies from and work on the host
  double size_bytes = 0;  ///< of all other kinds
  int tensor = -1;        ///< first tensor whose gradient it computes or carries, by order of creation; -1: none
  int tensors = 0;
  std::size_t first_wait = 0; ///< it waits for the `waits` operations in Graph::waits from here on
  std::size_t waits = 0;
  ComputePart part = ComputePart::whole; ///< compute only
  int unit = -1;                         ///< index in Graph::units of what is computed, gathered or scattered; -1: none
  int micro_batch = -1;                  ///< micro-batch that is computed or sent; -1: all, or not stated
  int group = -1;                        ///< index in Graph::groups of the ranks that run it; -1: Graph::machine
  int repeats = 1;                       ///< transfers only: number of transfers of that size, one after another
  bool keys = false;                     ///< it gathers keys and values of a context group, or scatters their gradients
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

/// Horovod's tensor fusion: once a cycle all gradients that are ready are fused into collectives of at most
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
  bool asynchronous = false;   ///< a server answers each worker at once; nobody waits for the others
  double compute_spread_s = 0; ///< asynchronous: standard deviation of a worker's compute
};

/// The operations of one iteration. Each one waits for earlier ones of the list only. Operations of one kind that
/// follow each other on paths or connections share links.
struct Graph {
  Machine machine;
  std::vector<Role> roles;
  std::vector<Stream> streams;
  std::vector<Operation> operations;
  std::vector<std::size_t> waits;    ///< numbers of operations, see Operation::first_wait
  std::vector<std::string> units;    ///< names of FSDP's units, or of a pipeline's pieces; else empty
  std::vector<TransferGroup> groups; ///< ranks that run transfers; model parallelism only

  LibraryRules rules;                 ///< how each collective is run
  std::optional<HybridGroups> hybrid; ///< hybrid sharding: takes the place of machine and rules
  double collective_cost_s = 0;       ///< software cost of one collective
  double tensor_cost_s = 0;           ///< software cost of each tensor in a collective
  double interference = 0;            ///< compute advances 1/(1 + interference) as fast beside a collective
  std::optional<Fusion> fusion;

  double path_Bps = 0; ///< of a path inside a node
  ServerRules servers;
};

/// Whether the operation is a collective on a stream of collectives, which runs them one after another.
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
