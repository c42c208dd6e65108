#pragma once
// One training iteration as a graph of operations: what runs where, how much of it there is, and what it waits for.

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
  all_reduce,     ///< a sum over all workers, which every worker gets
  reduce,         ///< a sum over the GPUs of a node, on one of them
  broadcast,      ///< the way back from there
  reduce_scatter, ///< a sum, a part on each: over the GPUs of a node on a path, over all workers as a collective
  all_gather,     ///< the way back from there, or parameters from the workers that keep them
  push_pull,      ///< a shard goes to its server, which sums all workers' copies and sends the sum back
  all_to_all,     ///< each rank of a group has a part for each other: tokens on their way to experts and back
  to_host,        ///< gradients, seconds of the link to host memory
  from_host,      ///< parameters, the same
  host_sum,       ///< seconds on the processors: a micro-batch's gradients are added to those before
  host_update,    ///< the same: the optimizer
  send,           ///< each rank of a role sends to one rank of another role
};

/// Ranks that run the same operations.
struct Role {
  std::string name; ///< worker, slow worker, stage 2
  int ranks = 1;
};

/// compute, input and collectives run their operations in the order in which they were added; a path inside a node and
/// a connection to a server take what is ready first. transfers: sends to another role, or collectives among the ranks
/// of one role, one after another, each as if it were alone on its links. host: copies one way, or the processors' work.
enum class StreamKind { compute, input, collectives, path, connection, transfers, host };

struct Stream {
  StreamKind kind = StreamKind::compute;
  std::size_t role = 0; ///< in Graph::roles
  int number = 0;       ///< of the path's GPU, or of the server
};

/// What of an iteration an operation of compute is; `whole`: forward and backward as one operation.
enum class ComputePart { whole, synchronisation, forward, backward };

struct Operation {
  OperationKind kind = OperationKind::compute;
  std::size_t stream = 0; ///< in Graph::streams
  double duration_s = 0;  ///< compute, input, and what the host does
  double size_bytes = 0;  ///< all others
  int tensor = -1;        ///< whose gradient it makes or carries, the first of several, by order of creation; -1: none
  int tensors = 0;
  std::size_t first_wait = 0; ///< what it waits for: `waits` entries of Graph::waits
  std::size_t waits = 0;
  ComputePart part = ComputePart::whole; ///< compute only
  int unit = -1;                         ///< of Graph::units that is computed, gathered or scattered; -1: none
  int micro_batch = -1;                  ///< that is computed or sent; -1: all, or not stated
  int group = -1;                        ///< of Graph::groups that carries it; -1: Graph::machine
  int repeats = 1;                       ///< transfers only: so many of that size, one after another
  bool keys = false; ///< keys and values of a context group are gathered, or their gradients scattered
};

/// Ranks that sum, or that send to each other, as a machine of their own: a machine of two ranks stands for all pairs
/// that send at the same time.
struct TransferGroup {
  Machine machine;
  LibraryRules rules;

  bool operator==(const TransferGroup&) const = default;
};

/// Hybrid sharding: what carries gathers and scatters, and what carries the all-reduces of gradients across groups.
struct HybridGroups {
  TransferGroup shards;
  TransferGroup replicas;
};

/// Once a cycle the stream of collectives fuses what is ready, into operations of at most buffer_bytes (Horovod).
struct Fusion {
  double cycle_s = 0;
  double buffer_bytes = 0;
};

/// What the workers of a parameter server share.
struct ServerRules {
  ServerMachine machine;
  int messages_per_node = 1;
  double message_cost_s = 0;   ///< software cost of one message at the server, each direction
  bool asynchronous = false;   ///< a server answers each worker at once; nobody waits for the others
  double compute_spread_s = 0; ///< asynchronous: standard deviation of a worker's compute
};

/// Operations stand in an order in which they can start: each waits for earlier ones only. Those of one kind that
/// follow each other on paths and connections share links.
struct Graph {
  Machine machine;
  std::vector<Role> roles;
  std::vector<Stream> streams;
  std::vector<Operation> operations;
  std::vector<std::size_t> waits;    ///< operations, see Operation::first_wait
  std::vector<std::string> units;    ///< whose parameters are gathered together; pieces of a pipeline; else none
  std::vector<TransferGroup> groups; ///< that carry transfers; model parallelism only

  LibraryRules rules; ///< how each collective is run
  std::optional<HybridGroups>
      hybrid;                   ///< in place of machine and rules: gathers and scatters, and all-reduces beside them
  double collective_cost_s = 0; ///< software cost of one collective
  double tensor_cost_s = 0;     ///< and of each tensor in it
  double interference = 0;      ///< compute advances 1/(1 + interference) as fast beside a collective
  std::optional<Fusion> fusion;

  double path_Bps = 0; ///< of a path inside a node
  ServerRules servers;
};

/// Whether it is run among all workers, one after another.
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

/// The operation's number; it waits for `after`.
inline std::size_t add_operation(Graph& graph, const Operation& operation,
                                 std::initializer_list<std::size_t> after = {}) {
  graph.operations.push_back(operation);
  Operation& added = graph.operations.back();
  added.first_wait = graph.waits.size();
  added.waits = after.size();
  graph.waits.insert(graph.waits.end(), after);
  return graph.operations.size() - 1;
}

/// One more wait of the operation added last.
inline void wait_for(Graph& graph, std::size_t operation) {
  graph.waits.push_back(operation);
  ++graph.operations.back().waits;
}

} // namespace ddlsim
