#include "sim/iteration/server_graph.hpp"

#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace ddlsim {

Sharding sharding_of(const StepSetup& setup, const Parameters& sample) {
  const Sharding stated = setup.strategy.sharding;
  const auto& choices = setup.preset.shardings;
  const auto is_hash = [](const LikelyChoice& choice) { return choice.name == to_text(Sharding::hash); };
  const bool may_be_other = stated == Sharding::hash && std::any_of(choices.begin(), choices.end(), is_hash);
  if (stated != Sharding::unknown && !may_be_other) return stated;
  return sample.sharding ? *sample.sharding : *value_named<Sharding>(choices.front().name);
}

bool serves_itself(const StepSetup& setup, const Machine& machine) {
  const bool dedicated = completed(setup.strategy, setup.preset).placement == Placement::dedicated;
  return machine.nodes() == 1 && (!dedicated || !setup.preset.serves_one_machine);
}

namespace {

std::vector<double> sizes_by_creation(const ComputeProfile& profile) {
  std::vector<double> sizes_bytes(profile.tensors.size());
  for (const auto& tensor : profile.tensors) sizes_bytes[at(tensor.tensor)] = tensor.size_bytes;
  return sizes_bytes;
}

std::vector<Shard> shards_of(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                             int servers) {
  const auto tensor_bytes = sizes_by_creation(profile);
  const Sharding rule = sharding_of(setup, sample);
  std::uint64_t key_order = 0;
  if (rule == Sharding::hash)
    key_order = sample.key_order ? *sample.key_order : typical_key_order(tensor_bytes, servers);
  return place_tensors(tensor_bytes, servers, rule, setup.preset.split_bytes, key_order);
}

/// The rules of the servers. On a job's only node, memory copies reach the servers, without socket or RPC.
ServerRules rules_of(const StepSetup& setup, const Parameters& sample, const Machine& machine) {
  ServerRules rules;
  rules.machine = build_servers(completed(setup.strategy, setup.preset), machine, sample, setup.cluster.cores_per_node);
  rules.messages_per_node = setup.strategy.on_node_reduce ? 1 : machine.ranks_per_node;
  rules.message_cost_s = sample.server_message_cost_s;
  if (!serves_itself(setup, machine)) return rules;
  rules.machine.dedicated = false;
  rules.machine.process_Bps = 0;
  rules.machine.connection_Bps = 0;
  rules.message_cost_s = 0;
  return rules;
}

/// The number of an operation for each tensor, in the order of creation.
using OfTensors = std::vector<std::size_t>;

/// Adds backward of a role; returns the operation that each gradient waits for before it leaves its GPU.
OfTensors add_backward(Graph& graph, ComputeStream& compute, const ComputeProfile& profile, bool beside) {
  OfTensors gradients(profile.tensors.size());
  for (const auto& tensor : profile.tensors) gradients[at(tensor.tensor)] = add_gradient(graph, compute, tensor);
  const std::size_t last = add_rest(graph, compute, profile);
  if (!beside) std::fill(gradients.begin(), gradients.end(), last);
  return gradients;
}

/// Adds the messages of a reduction, or of a broadcast, on the paths inside a node.
class NodePaths {
public:
  NodePaths(Graph& graph, const NodeReduction& node, OperationKind kind, std::size_t role)
      : graph_(graph), node_(node), kind_(kind), first_stream_(graph.streams.size()) {
    for (int path = 0; path < node.paths; ++path) add_stream(graph, StreamKind::path, role, path);
  }

  std::size_t add(std::size_t tensor) {
    return add_operation(graph_, {kind_, first_stream_ + node_.path[tensor], 0, node_.passing_bytes[tensor],
                                  static_cast<int>(tensor), 1});
  }

private:
  Graph& graph_;
  const NodeReduction& node_;
  OperationKind kind_;
  std::size_t first_stream_;
};

/// Adds the reductions inside a node, in the order in which gradients become ready.
OfTensors add_node_reductions(Graph& graph, const NodeReduction& node, const ComputeProfile& profile, std::size_t role,
                              const OfTensors& gradients) {
  if (!(node.rate_Bps > 0)) return gradients;
  NodePaths paths(graph, node, node.reduce, role);
  OfTensors reductions(gradients.size());
  for (const auto& tensor : profile.tensors) {
    reductions[at(tensor.tensor)] = paths.add(at(tensor.tensor));
    wait_for(graph, gradients[at(tensor.tensor)]);
  }
  return reductions;
}

/// Adds one operation for each shard, in order; returns the number of the first one.
std::size_t add_shards(Graph& graph, const std::vector<Shard>& shards, const std::vector<OfTensors>& ready_of_roles) {
  const std::size_t connections = graph.streams.size();
  for (int server = 0; server < graph.servers.machine.servers; ++server)
    add_stream(graph, StreamKind::connection, 0, server);
  const std::size_t first = graph.operations.size();
  for (const Shard& shard : shards) {
    add_operation(graph,
                  {OperationKind::push_pull, connections + at(shard.server), 0, shard.size_bytes, shard.tensor, 1});
    for (const auto& ready : ready_of_roles) wait_for(graph, ready[at(shard.tensor)]);
  }
  return first;
}

/// Adds the operations that spread tensors to a node's GPUs; each starts once the tensor's last shard is pulled. Shards
/// of a tensor follow each other.
void add_node_spread(Graph& graph, const NodeReduction& node, const std::vector<Shard>& shards, std::size_t pulled) {
  if (!(node.rate_Bps > 0)) return;
  NodePaths paths(graph, node, node.spread, 0);
  std::size_t shard = 0;
  for (std::size_t tensor = 0; tensor < node.path.size(); ++tensor) {
    paths.add(tensor);
    for (; shard < shards.size() && at(shards[shard].tensor) == tensor; ++shard) wait_for(graph, pulled + shard);
  }
}

/// The reduction and the spread together, for the GPUs of the only machine: twice the bytes of one direction.
NodeReduction both_ways(NodeReduction node) {
  for (double& bytes : node.passing_bytes) bytes *= 2;
  return node;
}

/// Adds an empty stream of compute for each role: for the workers, and for the workers of a slow node.
std::vector<ComputeStream> add_streams_of_workers(Graph& graph, double slowdown) {
  const int slow_ranks = slowdown == 1 ? 0 : graph.machine.ranks_per_node;
  const std::size_t worker = add_role(graph, "worker", graph.machine.ranks - slow_ranks);
  std::vector<ComputeStream> streams{{add_stream(graph, StreamKind::compute, worker)}};
  if (slowdown == 1) return streams;
  const std::size_t slow = add_role(graph, "slow worker", slow_ranks);
  streams.push_back({add_stream(graph, StreamKind::compute, slow), slowdown});
  return streams;
}

/// Sets the graph's machine, whose NICs push and pull at the same time, and its servers.
void set_machines(Graph& graph, const StepSetup& setup, const Parameters& sample, const Machine& machine) {
  graph.machine = machine;
  graph.machine.nic_duplex = sample.server_duplex;
  graph.servers = rules_of(setup, sample, graph.machine);
}

/// A graph with machine and servers, and without operations.
Graph with_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                   const Machine& machine) {
  // number of operations to reserve for each tensor, so that hardly any graph is reallocated
  constexpr std::size_t operations_a_tensor = 5;
  Graph graph;
  set_machines(graph, setup, sample, machine);
  const std::size_t tensors = profile.tensors.size();
  graph.operations.reserve(operations_a_tensor * tensors);
  graph.waits.reserve(operations_a_tensor * tensors);
  return graph;
}

/// Adds backward of a role, and the reductions inside its node.
OfTensors add_backward_and_reductions(Graph& graph, const StepSetup& setup, const ComputeProfile& profile,
                                      const NodeReduction& node, ComputeStream compute) {
  const bool reduces_in_node = setup.strategy.on_node_reduce;
  const bool beside = setup.preset.overlapped && !(reduces_in_node && node.after_backward);
  const auto gradients = add_backward(graph, compute, profile, beside);
  const std::size_t role = graph.streams[compute.stream].role;
  return reduces_in_node ? add_node_reductions(graph, node, profile, role, gradients) : gradients;
}

std::vector<OfTensors> add_workers(Graph& graph, const StepSetup& setup, const ComputeProfile& profile,
                                   const NodeReduction& node, double slowdown) {
  std::vector<OfTensors> gradients;
  for (const ComputeStream& compute : add_streams_of_workers(graph, slowdown)) {
    auto started = compute;
    add_forward(graph, started, profile);
    gradients.push_back(add_backward_and_reductions(graph, setup, profile, node, started));
  }
  return gradients;
}

/// Whether no server is needed: the job is one worker without a server on another host, or one machine for which the
/// preset starts no server.
bool needs_no_server(const StepSetup& setup, const Machine& machine) {
  const bool by_itself = serves_itself(setup, machine);
  const bool alone = machine.ranks == 1 && (by_itself || !setup.synchronised);
  return alone || (by_itself && !setup.preset.serves_one_machine);
}

/// Adds the delays of an asynchronous worker before its forward; returns the operation that forward waits for.
std::size_t add_delays(Graph& graph, const ComputeStream& compute, double overhead_s, const NodeReduction* node,
                       const ComputeProfile& profile) {
  const std::size_t overhead = add_operation(graph, {OperationKind::compute, compute.stream, overhead_s});
  graph.operations.back().part = ComputePart::synchronisation;
  if (node == nullptr || !(node->rate_Bps > 0)) return overhead;
  const std::size_t spread =
      NodePaths(graph, *node, node->spread, graph.streams[compute.stream].role).add(at(profile.tensors.back().tensor));
  wait_for(graph, overhead);
  return spread;
}

} // namespace

double work_of_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine) {
  const Graph graph = server_graph(setup, sample, profile, machine, 1);
  const auto classes = server_classes_of(graph.machine, graph.servers.machine, find_exchange(graph));
  std::size_t shards = 0;
  for (const auto& server : classes->servers) shards += server.shards.size();
  return static_cast<double>(shards) * static_cast<double>(classes->servers.size());
}

Graph server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                   const Machine& machine, double slowdown) {
  Graph graph = with_servers(setup, sample, profile, machine);
  const auto node = plan_node_reduction(setup.preset, machine, sizes_by_creation(profile));
  graph.path_Bps = node.rate_Bps;
  if (needs_no_server(setup, machine)) {
    add_workers(graph, setup, profile, both_ways(node), slowdown);
    return graph;
  }
  const auto ready_of_roles = add_workers(graph, setup, profile, node, slowdown);
  const auto shards = shards_of(setup, sample, profile, graph.servers.machine.servers);
  const std::size_t pulled = add_shards(graph, shards, ready_of_roles);
  if (setup.strategy.on_node_reduce) add_node_spread(graph, node, shards, pulled);
  return graph;
}

bool time_server_graph(Graph& graph, const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine, double slowdown) {
  const int servers = graph.servers.machine.servers;
  const bool had_paths = graph.path_Bps > 0;
  set_machines(graph, setup, sample, machine);
  graph.path_Bps = node_path_Bps(machine);
  if (graph.servers.machine.servers != servers || (graph.path_Bps > 0) != had_paths) return false;
  double slower = 1; // the workers come first, and those of a slow node after them
  for (std::size_t stream = 0; stream < graph.streams.size(); ++stream) {
    if (graph.streams[stream].kind != StreamKind::compute) continue;
    if (!time_compute(graph, {stream, std::exchange(slower, slowdown)}, profile)) return false;
  }
  return true;
}

Graph async_server_graph(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                         const Machine& machine, const WorkerDelays& delays) {
  Graph graph = with_servers(setup, sample, profile, machine);
  graph.servers.asynchronous = true;
  graph.servers.compute_spread_s = sample.step_spread * profile.total_s();
  const auto node = plan_node_reduction(setup.preset, machine, sizes_by_creation(profile));
  graph.path_Bps = node.rate_Bps;
  const NodeReduction* spreads = setup.strategy.on_node_reduce ? &node : nullptr;
  std::vector<OfTensors> ready_of_workers;
  for (ComputeStream compute : add_streams_of_workers(graph, delays.slowdown)) {
    const std::size_t before = add_delays(graph, compute, delays.overhead_s, spreads, profile);
    add_forward(graph, compute, profile);
    wait_for(graph, before);
    ready_of_workers.push_back(add_backward_and_reductions(graph, setup, profile, node, compute));
  }
  const auto shards = shards_of(setup, sample, profile, graph.servers.machine.servers);
  add_shards(graph, shards, {ready_of_workers.front()});
  return graph;
}

std::string communication_part(const Graph& graph) {
  const auto to_server = [](const Stream& stream) { return stream.kind == StreamKind::connection; };
  if (std::none_of(graph.streams.begin(), graph.streams.end(), to_server)) return "communication";
  const double process_Bps = graph.servers.machine.process_Bps;
  return process_Bps > 0 && process_Bps < graph.machine.busy_nic_Bps() ? "server-software" : "server-link";
}

} // namespace ddlsim
