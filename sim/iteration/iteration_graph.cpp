#include "sim/iteration/iteration_graph.hpp"

#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/server_graph.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// A collective waits for the slowest rank, whose compute is thus everybody's. Inside a collective a tensor costs
/// bookkeeping, copies, and the negotiation that all ranks have it ready; one rank whose library is on pays that too,
/// although nothing travels.
Graph graph_of_all_reduce(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  const auto slowest = compute_profile(shape, slowdown_of(setup, machine) * compute_s, sample.forward_share);
  Graph graph = all_reduce_graph(slowest, setup.preset, machine);
  graph.sums = sum_rules_of(setup, sample);
  graph.collective_cost_s = sample.operation_cost_s;
  graph.tensor_cost_s = sample.tensor_cost_s + sample.tensor_cost_slope_s * negotiation_hops(machine, setup.transport);
  graph.interference = sample.interference;
  return graph;
}

/// Asynchronous workers wait for nobody, so the slow node and the cost of synchronisation itself are in each worker's
/// iteration; that cost takes no server's time.
Graph graph_of_servers(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  const auto profile = compute_profile(shape, compute_s, sample.forward_share);
  const double slowdown = slowdown_of(setup, machine);
  if (!nobody_waits(setup, machine)) return server_graph(setup, sample, profile, machine, slowdown);
  return async_server_graph(setup, sample, profile, machine,
                            {overhead_s(sample, machine.nodes(), compute_s), slowdown});
}

/// The samples of the next iteration come beside this one, on a stream of their own.
void add_input(Graph& graph, const StepSetup& setup) {
  constexpr std::size_t worker = 0;
  add_operation(graph, {OperationKind::input, add_stream(graph, StreamKind::input, worker), needed_input_s(setup)});
}

} // namespace

Graph iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto build = is_parameter_server(setup.strategy.name) ? graph_of_servers : graph_of_all_reduce;
  Graph graph = build(setup, inputs, shape);
  add_input(graph, setup);
  return graph;
}

Graph graph_of_compute(const StepSetup& setup, double compute_s) {
  Graph graph;
  const std::size_t worker = add_role(graph, "worker", setup.gpus);
  add_operation(graph, {OperationKind::compute, add_stream(graph, StreamKind::compute, worker), compute_s});
  add_input(graph, setup);
  return graph;
}

BackwardShape backward_shape_of(const StepSetup& setup) {
  return backward_shape(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, setup.wire_bytes_per_parameter);
}

double input_s(const InputPipeline& input, const Storage& storage, int nodes, double samples_per_node) {
  const double bytes = samples_per_node * input.bytes_per_sample;
  double longest_s = 0;
  if (input.loader_samples_per_s > 0) longest_s = samples_per_node / input.loader_samples_per_s;
  if (storage.read_bandwidth_Bps > 0) longest_s = std::max(longest_s, bytes / storage.read_bandwidth_Bps);
  if (input.shared_read_Bps > 0) longest_s = std::max(longest_s, nodes * bytes / input.shared_read_Bps);
  return longest_s;
}

double needed_input_s(const StepSetup& setup) {
  const int nodes = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
  return input_s(setup.input, setup.cluster.storage, nodes, setup.batch_per_gpu * setup.gpus_per_node);
}

double overhead_s(const Parameters& sample, int nodes, double compute_s) {
  const double lost_share = sample.sync_share + (nodes > 1 ? sample.second_node_jump : 0);
  return sample.sync_on_s + lost_share * compute_s;
}

double slowdown_of(const StepSetup& setup, const Machine& machine) {
  return machine.nodes() > 1 ? setup.slow_node.compute_factor : 1;
}

bool nobody_waits(const StepSetup& setup, const Machine& machine) {
  return setup.strategy.name == StrategyName::ps_async && machine.ranks > 1;
}

LibraryVersion library_of(const StepSetup& setup, const Parameters& sample) {
  if (setup.strategy.library) return *setup.strategy.library;
  return sample.library ? *sample.library : likeliest_library(setup.preset, setup.transport.name);
}

SumRules sum_rules_of(const StepSetup& setup, const Parameters& sample) {
  SumRules rules{library_of(setup, sample), algorithm_of(setup.strategy.name)};
  if (rules.library.library == SumLibrary::nccl)
    rules.nccl = nccl_job(setup.cluster, setup.transport, setup.gpu, setup.gpus, setup.gpus_per_node);
  return rules;
}

} // namespace ddlsim
