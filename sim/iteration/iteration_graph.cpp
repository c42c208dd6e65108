#include "sim/iteration/iteration_graph.hpp"

#include "sim/base/error.hpp"
#include "sim/iteration/all_reduce_graph.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/hybrid_shards.hpp"
#include "sim/iteration/pipeline_setup.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/iteration/sharded_graph.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

/// The compute profile of the slowest rank. A collective waits for that rank, so all ranks take its time.
ComputeProfile slowest_profile(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const double slowest_s = slowdown_of(setup, inputs.machine) * inputs.compute_s;
  const double share = inputs.sample.forward_share;
  if (recompute_of(setup.strategy) == Recompute::none) return compute_profile(shape, slowest_s, share);
  const double longer = 1 + share * shape.units.recomputed();
  return compute_profile(shape, longer * slowest_s, share / longer);
}

/// Sets the software cost of collectives. A tensor costs bookkeeping, copies, and the negotiation that all ranks have
/// it ready. One rank alone with the library switched on has these costs too, although nothing travels.
void set_collectives(Graph& graph, const StepSetup& setup, const CommunicationInputs& inputs) {
  const auto& [machine, compute_s, sample] = inputs;
  graph.machine = machine;
  graph.rules = library_rules_of(setup, sample);
  graph.collective_cost_s = sample.operation_cost_s;
  graph.tensor_cost_s = sample.tensor_cost_s + sample.tensor_cost_slope_s * negotiation_hops(machine, setup.transport);
  graph.interference = sample.interference;
}

Graph graph_of_all_reduce(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  Graph graph = all_reduce_graph(slowest_profile(setup, inputs, shape), setup.preset, inputs.machine,
                                 micro_batches_of(setup.strategy));
  set_collectives(graph, setup, inputs);
  return graph;
}

bool time_all_reduces(Graph& graph, const StepSetup& setup, const CommunicationInputs& inputs,
                      const BackwardShape& shape) {
  if (micro_batches_of(setup.strategy) > 1) return false;
  set_collectives(graph, setup, inputs);
  constexpr std::size_t compute = 0; // number of the stream of compute
  return time_compute(graph, {compute}, slowest_profile(setup, inputs, shape));
}

HybridGroups hybrid_groups(const StepSetup& setup, const Parameters& sample, const Machine& machine, int group) {
  const auto shards = machine_of_shards(machine, group);
  const auto replicas = machine_of_shard_replicas(machine, group);
  return {{shards, rules_of_group(setup, sample, shards)}, {replicas, rules_of_group(setup, sample, replicas)}};
}

/// The times of offload; all are 0 without offload. Throws UserError where the cluster does not state what offload
/// needs, or has too little host memory.
HostSeconds host_of(const StepSetup& setup) {
  if (!is_offloaded(setup.strategy)) return {};
  const auto why = offload_complaint(setup.model, setup.cluster, setup.strategy, setup.gpus, setup.gpus_per_node);
  if (!why.empty()) throw UserError("--strategy", "", why);
  return host_seconds(setup.cluster, setup.gpus_per_node);
}

/// As with all-reduces, all ranks take the compute time of the slowest. The tensors of a unit are one flat parameter,
/// so tensors have no cost of their own.
Graph graph_of_sharded(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  const double slowest_s = slowdown_of(setup, machine) * compute_s;
  const double again_s = sample.forward_share * shape.units.recomputed() * slowest_s;
  const auto& options = setup.strategy.sharded;
  const ShardBytes bytes{computed_bytes_per_parameter(setup.precision), setup.wire_bytes_per_parameter,
                         copy_s_per_byte(setup, machine)};
  const auto host = host_of(setup);
  Graph graph;
  if (setup.strategy.name == StrategyName::fsdp) {
    const WholePasses passes{sample.forward_share * slowest_s, (1 - sample.forward_share) * slowest_s};
    const int group = ranks_of_shard_group(options, machine.ranks, setup.gpus_per_node);
    graph = fsdp_graph(shape.units, passes, options, bytes, machine, group, host);
    if (group < machine.ranks) graph.hybrid = hybrid_groups(setup, sample, machine, group);
  } else {
    const double total_s = slowest_s + again_s;
    const auto profile = compute_profile(shape, total_s, sample.forward_share * slowest_s / total_s);
    graph = zero_graph(setup.strategy.name, profile, options, bytes, setup.preset, machine, host);
  }
  graph.rules = library_rules_of(setup, sample);
  graph.collective_cost_s = sample.operation_cost_s;
  graph.interference = sample.interference;
  return graph;
}

/// Asynchronous workers do not wait for each other. So each worker's iteration includes the delay of a slow node and
/// the cost of synchronisation, which takes no time of the server.
Graph graph_of_servers(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  const auto profile = compute_profile(shape, compute_s, sample.forward_share);
  const double slowdown = slowdown_of(setup, machine);
  if (!nobody_waits(setup, machine)) return server_graph(setup, sample, profile, machine, slowdown);
  return async_server_graph(setup, sample, profile, machine,
                            {overhead_s(sample, machine.nodes(), compute_s), slowdown});
}

bool time_servers(Graph& graph, const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  const auto& [machine, compute_s, sample] = inputs;
  if (nobody_waits(setup, machine)) return false;
  const auto profile = compute_profile(shape, compute_s, sample.forward_share);
  return time_server_graph(graph, setup, sample, profile, machine, slowdown_of(setup, machine));
}

/// Adds the input of the next iteration, which runs beside this one on a stream of its own.
void add_input_operation(Graph& graph, const StepSetup& setup, const InputFactors& factors) {
  constexpr std::size_t worker = 0;
  add_operation(graph,
                {OperationKind::input, add_stream(graph, StreamKind::input, worker), needed_input_s(setup, factors)});
}

} // namespace

namespace {

Graph graph_without_input(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  switch (family_of(setup.strategy.name)) {
  case StrategyFamily::servers:
    return graph_of_servers(setup, inputs, shape);
  case StrategyFamily::sharded:
    return graph_of_sharded(setup, inputs, shape);
  case StrategyFamily::model_parallel:
    return graph_of_pipeline(setup, inputs, shape);
  case StrategyFamily::none:
  case StrategyFamily::all_reduce:
    break;
  }
  return graph_of_all_reduce(setup, inputs, shape);
}

} // namespace

Graph iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  Graph graph = graph_without_input(setup, inputs, shape);
  add_input_operation(graph, setup, inputs.sample.input);
  return graph;
}

namespace {

/// The rule by which this sample of the parameters places tensors on servers.
PlacementRule placement_rule_of(const StepSetup& setup, const Parameters& sample) {
  if (!is_parameter_server(setup.strategy.name)) return {};
  const auto sharding = sharding_of(setup, sample);
  return {sharding, sharding == Sharding::hash ? sample.key_order : std::nullopt};
}

/// Changes the graph to that of another sample with the same placing. Returns false where it has to be built again.
bool time_anew(Graph& graph, const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape) {
  // add_input_operation() added this operation last
  graph.operations.back().duration_s = needed_input_s(setup, inputs.sample.input);
  switch (family_of(setup.strategy.name)) {
  case StrategyFamily::servers:
    return time_servers(graph, setup, inputs, shape);
  case StrategyFamily::all_reduce:
    return time_all_reduces(graph, setup, inputs, shape);
  case StrategyFamily::none:
  case StrategyFamily::sharded:
  case StrategyFamily::model_parallel:
    break;
  }
  return false;
}

} // namespace

const Graph& iteration_graph(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape,
                             std::optional<LastGraph>& last) {
  constexpr std::size_t most_kept =
      20000; // number of operations, which take 2 MB; building takes a small part of the time of larger graphs
  const auto rule = placement_rule_of(setup, inputs.sample);
  const bool alike = last && last->graph.operations.size() <= most_kept && last->rule == rule;
  if (alike && time_anew(last->graph, setup, inputs, shape)) return last->graph;
  last.reset();
  last = LastGraph{iteration_graph(setup, inputs, shape), rule};
  return last->graph;
}

Graph graph_of_compute(const StepSetup& setup, double compute_s, const InputFactors& factors) {
  Graph graph;
  const std::size_t worker = add_role(graph, "worker", setup.gpus);
  add_operation(graph, {OperationKind::compute, add_stream(graph, StreamKind::compute, worker), compute_s});
  add_input_operation(graph, setup, factors);
  return graph;
}

BackwardShape backward_shape_of(const StepSetup& setup) {
  auto shape =
      backward_shape(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, setup.wire_bytes_per_parameter);
  const auto recompute = recompute_of(setup.strategy);
  if (is_sharded(setup.strategy.name) || recompute != Recompute::none)
    shape.units = unit_shape(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, recompute);
  if (!is_model_parallel(setup.strategy.name)) return shape;
  shape.pieces = pieces_of_layout(setup);
  if (shards_parameters(setup.strategy) && !shape.pieces.empty())
    shape.piece_units =
        units_of_pieces(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, recompute, shape.pieces);
  return shape;
}

double compute_s_of(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape) {
  return setup.one_gpu_s * compute_factor_of(sample) * (1 + sample.forward_share * shape.units.recomputed());
}

double InputTimes::longest_s() const {
  return std::max({decoding_s, storage_s, opening_s, shared_storage_s, shared_opening_s, workers_s});
}

namespace {

/// work / rate, seconds; a rate of 0 is unknown and sets no limit.
double seconds_of(double work, double rate) {
  return rate > 0 ? work / rate : 0;
}

/// Seconds in which one worker of the loader prepares one sample when no other worker slows it.
double worker_sample_s(const InputPipeline& input, double read_Bps, const InputFactors& factors) {
  const double reading_s = std::max(seconds_of(input.bytes_per_sample, read_Bps),
                                    seconds_of(input.bytes_per_sample, input.shared_read_Bps * factors.shared_read));
  const double decoding_s = input.loader_samples_per_s > 0 ? input.serial_workers / input.loader_samples_per_s
                                                           : seconds_of(1, input.core_samples_per_s * factors.core);
  return input.open_s * factors.open + reading_s + decoding_s;
}

} // namespace

InputTimes input_times(const InputPipeline& input, const Storage& storage, int nodes, int gpus_per_node,
                       double samples_per_node, const InputFactors& factors) {
  const double bytes = samples_per_node * input.bytes_per_sample;
  InputTimes times;
  times.decoding_s = seconds_of(samples_per_node, input.loader_samples_per_s);
  if (input.loader_samples_per_s == 0)
    times.decoding_s = std::max(seconds_of(samples_per_node, input.cores * input.core_samples_per_s * factors.core),
                                seconds_of(samples_per_node, gpus_per_node * input.gpu_samples_per_s * factors.gpu));
  const double read_Bps = input.read_Bps > 0 ? input.read_Bps * factors.read : storage.read_bandwidth_Bps;
  times.storage_s = seconds_of(bytes, read_Bps);
  times.opening_s = seconds_of(samples_per_node * input.open_s * factors.open, input.readers);
  times.shared_storage_s = seconds_of(nodes * bytes, input.shared_read_Bps * factors.shared_read);
  times.shared_opening_s = seconds_of(nodes * samples_per_node * factors.open, input.shared_opens_per_s);
  if (input.serial_workers > 0)
    times.workers_s = samples_per_node * worker_sample_s(input, read_Bps, factors) / input.serial_workers;
  return times;
}

InputTimes input_times(const StepSetup& setup, const InputFactors& factors) {
  const int nodes = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
  return input_times(setup.input, setup.cluster.storage, nodes, setup.gpus_per_node,
                     setup.batch_per_gpu * setup.gpus_per_node, factors);
}

double needed_input_s(const StepSetup& setup, const InputFactors& factors) {
  return input_times(setup, factors).longest_s();
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

LibraryRules library_rules_of(const StepSetup& setup, const Parameters& sample) {
  LibraryRules rules{library_of(setup, sample), algorithm_of(setup.strategy.name)};
  if (rules.library.library != CollectiveLibrary::nccl) return rules;
  rules.nccl = nccl_job(setup.cluster, setup.transport, setup.gpu, setup.gpus, setup.gpus_per_node);
  rules.nccl.protocol = setup.protocol;
  return rules;
}

} // namespace ddlsim
