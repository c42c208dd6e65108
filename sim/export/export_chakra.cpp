#include "sim/base/error.hpp"
#include "sim/export/chakra_node.hpp"
#include "sim/export/export.hpp"
#include "sim/export/operation_text.hpp"
#include "sim/iteration/host_offload.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

bool carries(const Graph& graph, OperationKind kind) {
  return std::any_of(graph.operations.begin(), graph.operations.end(),
                     [&](const Operation& operation) { return operation.kind == kind; });
}

/// Returns the Chakra type. A pass over the paths inside a machine without servers sends in both directions, so it
/// counts as an all-reduce.
ChakraCollective collective_of(OperationKind kind, bool has_way_back) {
  if (!has_way_back) return ChakraCollective::all_reduce;
  switch (kind) {
  case OperationKind::reduce:
    return ChakraCollective::reduce;
  case OperationKind::broadcast:
    return ChakraCollective::broadcast;
  case OperationKind::reduce_scatter:
    return ChakraCollective::reduce_scatter;
  case OperationKind::all_gather:
    return ChakraCollective::all_gather;
  default:
    return ChakraCollective::all_reduce;
  }
}

/// The nodes of one role, added operation by operation.
class RoleNodes {
public:
  RoleNodes(const StepSetup& setup, const StepRun& run, std::size_t role)
      : setup_(setup), run_(run), names_(setup.model, run.graph), role_(role), node_of_(run.graph.operations.size(), 0),
        stream_s_(run.graph.streams.size(), 0), last_of_(run.graph.streams.size(), 0),
        has_way_back_(carries(run.graph, OperationKind::push_pull)) {}

  std::vector<ChakraNode> all() {
    for (std::size_t i = 0; i < run_.graph.operations.size(); ++i) add(i);
    return std::move(nodes_);
  }

private:
  const Stream& stream_of(std::size_t operation) const {
    return run_.graph.streams[run_.graph.operations[operation].stream];
  }

  void add(std::size_t operation) {
    const Operation& of = run_.graph.operations[operation];
    const bool shard = of.kind == OperationKind::push_pull; // the workers of every role send shards
    if (stream_of(operation).role != role_ && !shard) return;
    if (is_collective(run_.graph, of)) return add_collective(operation);
    switch (of.kind) {
    case OperationKind::compute:
    case OperationKind::input:
      add_compute(operation);
      break;
    case OperationKind::push_pull:
      add_shard(operation);
      break;
    default:
      add_inside_node(operation);
    }
  }

  /// Appends a node that waits for the nodes of all operations that the operation waits for.
  ChakraNode& append(std::size_t operation, ChakraNodeType type, const std::string& name) {
    nodes_.push_back({nodes_.size() + 1, name, type});
    node_of_[operation] = nodes_.back().id;
    wait_for(nodes_.back(), operation);
    return nodes_.back();
  }

  void wait_for(ChakraNode& node, std::size_t operation) {
    const Operation& of = run_.graph.operations[operation];
    for (std::size_t w = 0; w < of.waits; ++w) {
      const std::size_t earlier = node_of_[run_.graph.waits[of.first_wait + w]];
      if (earlier != 0) depend(node, earlier); // 0: the operation belongs to another role
    }
  }

  static void depend(ChakraNode& node, std::uint64_t on) {
    auto& deps = node.data_deps;
    if (std::find(deps.begin(), deps.end(), on) == deps.end()) deps.push_back(on);
  }

  /// Makes the node wait for the one before it in its stream, because the stream runs in order.
  void follow(ChakraNode& node, std::size_t stream) {
    if (last_of_[stream] != 0) depend(node, last_of_[stream]);
    last_of_[stream] = node.id;
  }

  void add_compute(std::size_t operation) {
    constexpr double us_per_s = 1e6;
    const Operation& of = run_.graph.operations[operation];
    if (of.kind == OperationKind::input && !(of.duration_s > 0)) return;
    const std::string name = of.unit < 0 ? text_of(of, names_) : layer_text_of(run_.graph, of, names_);
    ChakraNode& node = append(operation, ChakraNodeType::compute, name);
    double& done_s = stream_s_[of.stream];
    const auto before_us = std::llround(done_s * us_per_s);
    done_s += of.duration_s;
    node.duration_us = static_cast<std::uint64_t>(std::llround(done_s * us_per_s) - before_us);
    node.on_cpu = of.kind == OperationKind::input;
    if (of.kind == OperationKind::compute) last_compute_ = node.id;
    follow(node, of.stream);
  }

  /// Adds fused operations as one node, where the last of their gradients is ready.
  void add_collective(std::size_t operation) {
    const Collective& collective = run_.execution.collectives.at(ran_);
    fused_.push_back(operation);
    fused_tensors_ += run_.graph.operations[operation].tensors;
    if (fused_tensors_ < collective.tensors) return;
    const Operation& of = run_.graph.operations[operation];
    ChakraNode& node = append(operation, ChakraNodeType::collective, text_of_collective(run_.graph, of));
    node.collective = collective_of(of.kind, true);
    for (const std::size_t one : fused_) {
      node_of_[one] = node.id;
      wait_for(node, one);
    }
    node.size_bytes = collective.size_bytes;
    // For an all-gather ASTRA-sim expects the bytes that each rank contributes (astra-sim/system/collective/Ring.cc)
    if (of.kind == OperationKind::all_gather) node.size_bytes /= run_.graph.machine.ranks;
    follow(node, of.stream);
    ++ran_;
    fused_.clear();
    fused_tensors_ = 0;
  }

  void add_inside_node(std::size_t operation) {
    const Operation& of = run_.graph.operations[operation];
    ChakraNode& node = append(operation, ChakraNodeType::collective, text_of(of, names_));
    node.collective = collective_of(of.kind, has_way_back_);
    node.size_bytes = names_.wire_bytes(of.tensor, setup_.wire_bytes_per_parameter);
    node.group = "node";
  }

  void add_shard(std::size_t operation) {
    const Operation& of = run_.graph.operations[operation];
    const auto tensors = names_.of_operation(of);
    const std::string tensor = tensors.empty() ? "" : " " + tensors.front();
    const int server = run_.graph.machine.ranks + stream_of(operation).number;
    ChakraNode& push = append(operation, ChakraNodeType::send, "push" + tensor);
    // On an asynchronous slow worker, no operation of its own compute precedes a shard.
    if (push.data_deps.empty()) depend(push, last_compute_);
    push.size_bytes = of.size_bytes;
    push.peer = server;
    push.tag = ++shards_;
    const std::uint64_t sent = push.id;
    nodes_.push_back({sent + 1, "pull" + tensor, ChakraNodeType::receive, {sent}});
    nodes_.back().size_bytes = of.size_bytes;
    nodes_.back().peer = server;
    nodes_.back().tag = shards_;
    node_of_[operation] = nodes_.back().id;
  }

  const StepSetup& setup_;
  const StepRun& run_;
  TensorNames names_;
  std::size_t role_;
  std::vector<ChakraNode> nodes_;
  std::vector<std::uint64_t> node_of_; ///< node of each operation; 0: none
  std::vector<double> stream_s_;       ///< seconds of compute so far in each stream
  std::vector<std::uint64_t> last_of_; ///< last node of each stream; 0: none
  bool has_way_back_;
  std::uint64_t last_compute_ = 0; ///< id of the last node of compute
  std::size_t ran_ = 0;            ///< number of collectives added
  std::vector<std::size_t> fused_; ///< operations found so far of the next collective
  int fused_tensors_ = 0;
  int shards_ = 0;
};

/// Returns the ranks that push and pull: all ranks, or the first of each node.
std::vector<int> senders_of(const Graph& graph) {
  std::vector<int> senders;
  for (int rank = 0; rank < graph.machine.ranks; ++rank)
    if (rank % graph.machine.ranks_per_node < graph.servers.messages_per_node) senders.push_back(rank);
  return senders;
}

std::vector<ChakraNode> nodes_of_server(const Graph& graph, const std::vector<int>& senders, int server) {
  std::vector<ChakraNode> nodes;
  int tag = 0;
  for (const Operation& shard : graph.operations) {
    if (shard.kind != OperationKind::push_pull) continue;
    ++tag;
    if (graph.streams[shard.stream].number != server) continue;
    std::vector<std::uint64_t> taken;
    for (const int sender : senders) {
      taken.push_back(nodes.size() + 1);
      nodes.push_back({taken.back(), "push", ChakraNodeType::receive, {}, 0, true, shard.size_bytes});
      nodes.back().peer = sender;
      nodes.back().tag = tag;
    }
    for (std::size_t i = 0; i < senders.size(); ++i) {
      nodes.push_back({nodes.size() + 1, "pull", ChakraNodeType::send, taken, 0, true, shard.size_bytes});
      if (graph.servers.asynchronous) nodes.back().data_deps = {taken[i]};
      nodes.back().peer = senders[i];
      nodes.back().tag = tag;
    }
  }
  return nodes;
}

void add_servers(const Graph& graph, const std::string& about, std::vector<ChakraTrace>& traces) {
  const auto senders = senders_of(graph);
  const auto shards = std::count_if(graph.operations.begin(), graph.operations.end(), [](const Operation& operation) {
    return operation.kind == OperationKind::push_pull;
  });
  const double messages = 2.0 * static_cast<double>(shards) * static_cast<double>(senders.size());
  if (messages > most_server_messages)
    throw UserError("--gpus", "",
                    fmt::format("the servers' files would hold {:.0f} messages, at most {:.0f} are written; ask for "
                                "fewer GPUs",
                                messages, most_server_messages));
  for (int server = 0; server < graph.servers.machine.servers; ++server)
    traces.push_back({fmt::format("server-{}", server), chakra_file(about, nodes_of_server(graph, senders, server))});
}

std::string as_file_name(std::string role) {
  std::replace(role.begin(), role.end(), ' ', '-');
  return role;
}

} // namespace

std::vector<ChakraTrace> chakra_traces(const StepSetup& setup, const StepRun& run) {
  const auto& roles = run.graph.roles;
  if (!run.graph.groups.empty())
    throw UserError("--strategy", "",
                    "model parallelism is not written as Chakra traces; ask for another strategy, or predict "
                    "--trace");
  if (run.graph.hybrid)
    throw UserError("--strategy", "",
                    "hybrid sharding is not written as Chakra traces; leave \"shard_group\" out, or predict --trace");
  if (is_offloaded(setup.strategy))
    throw UserError("--strategy", "",
                    "offload is not written as Chakra traces; leave \"offload\" out, or predict --trace");
  const std::string about = fmt::format("one iteration of {} on {}, {} of {} GPUs", setup.model.name,
                                        setup.cluster.name, to_text(setup.strategy), setup.gpus);
  std::vector<ChakraTrace> traces;
  for (std::size_t role = 0; role < roles.size(); ++role)
    traces.push_back({as_file_name(roles[role].name),
                      chakra_file(fmt::format("{}: {} ({} ranks)", about, roles[role].name, roles[role].ranks),
                                  RoleNodes(setup, run, role).all())});
  if (carries(run.graph, OperationKind::push_pull)) add_servers(run.graph, about, traces);
  return traces;
}

} // namespace ddlsim
