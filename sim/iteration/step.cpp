#include "sim/iteration/step.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/execution.hpp"
#include "sim/iteration/host_offload.hpp"
#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/optimizer_update.hpp"
#include "sim/iteration/pipeline_graph.hpp"
#include "sim/iteration/pipeline_layout.hpp"
#include "sim/iteration/server_graph.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/library/library_rules.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

bool synchronises(const StepSetup& setup) {
  return setup.synchronised && setup.strategy.name != StrategyName::none;
}

void name_shares(StepTime& time) {
  const auto& parts = time.parts;
  std::pair<double, std::string> largest{parts.exposed_communication_s, time.communication};
  for (const auto& part : named_parts) {
    if (part.seconds == &IterationParts::compute_s || part.seconds == &IterationParts::unexplained_s) continue;
    if (parts.*part.seconds > largest.first) largest = {parts.*part.seconds, part.name};
  }
  time.largest_loss = largest.second;
  time.bottleneck = parts.compute_s >= largest.first ? "compute" : largest.second;
}

std::optional<LargestCollective> largest_collective_of(const Execution& execution) {
  std::optional<LargestCollective> largest;
  for (const auto& collective : execution.collectives)
    if (!largest || collective.size_bytes > largest->size_bytes)
      largest = {collective.cost.collective, collective.cost.protocol, collective.size_bytes};
  return largest;
}

bool has_neighbours(const StepSetup& setup) {
  return setup.fabrics && !setup.fabrics->co_location().neighbours.empty();
}

/// Runs the graph. Throws UserError where the requested fidelity cannot run it, because that is the user's mistake.
Execution execute_or_refuse(const Graph& graph, Fidelity requested, Choice& choice) {
  try {
    return execute(graph, requested, choice);
  } catch (const NoSymmetry& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  } catch (const TooManyMessages& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  }
}

bool runs_on_host(const Graph& graph) {
  return std::any_of(graph.streams.begin(), graph.streams.end(),
                     [](const Stream& stream) { return stream.kind == StreamKind::host; });
}

void add_offload(const Graph& graph, Fidelity requested, IterationResult& result) {
  Choice as_before;
  const double free_s = execute_or_refuse(without_host(graph), requested, as_before).end_s;
  result.exposed.offload_s = result.end_s - free_s;
}

IterationResult execute_iteration(const Graph& graph, Fidelity requested, bool beside_others, bool divides = true) {
  IterationResult result;
  const auto execution = execute_or_refuse(graph, requested, result.choice);
  result.end_s = execution.end_s;
  result.input_end_s = execution.input_end_s;
  if (!graph.groups.empty() && divides) {
    result.free_end_s = end_without_network_s(graph);
    result.exposed = exposed_parts(graph, execution, result.free_end_s);
  }
  result.part = communication_part(graph);
  if (runs_on_host(graph)) add_offload(graph, requested, result);
  result.mean_staleness = execution.mean_staleness;
  result.simgrid_messages = execution.simgrid_messages;
  result.largest_collective = largest_collective_of(execution);
  if (beside_others) result.traffic = job_traffic(graph, execution);
  return result;
}

const BackwardShape& shape_of(const StepSetup& setup, StepCache& memory) {
  if (!memory.shape) memory.shape = backward_shape_of(setup);
  return *memory.shape;
}

/// Compute time of one GPU, seconds. The shape matters only where something is recomputed.
double compute_of(const StepSetup& setup, const Parameters& sample, StepCache& memory) {
  static const BackwardShape whole;
  const bool again = recompute_of(setup.strategy) != Recompute::none;
  return compute_s_of(setup, sample, again ? shape_of(setup, memory) : whole);
}

/// Returns the cached result of an iteration, or runs the iteration.
IterationResult synchronised_iteration(const StepSetup& setup, const CommunicationInputs& inputs, Fidelity requested,
                                       StepCache& memory) {
  if (memory.iteration && memory.iteration->inputs == inputs) return memory.iteration->result;
  const Graph& graph = iteration_graph(setup, inputs, shape_of(setup, memory), memory.graph);
  const bool beside_others = requested != Fidelity::formula && has_neighbours(setup);
  auto result = execute_iteration(graph, requested, beside_others, memory.divides);
  if (memory.stores) memory.iteration = {inputs, result};
  return result;
}

IterationParts asynchronous_parts(const Parameters& sample, const Machine& machine, const IterationResult& result,
                                  double compute_s) {
  IterationPass pass{result.end_s, compute_s};
  pass.synchronisation_s = overhead_s(sample, machine.nodes(), compute_s);
  pass.drawn = true;
  return parts_of(pass);
}

IterationParts synchronous_parts(const StepSetup& setup, const Parameters& sample, const Machine& machine,
                                 const IterationResult& result, double compute_s) {
  IterationPass pass{result.end_s, compute_s};
  pass.slow_node_s = (slowdown_of(setup, machine) - 1) * compute_s;
  pass.free_end_s = result.free_end_s;
  auto parts = parts_of(pass);
  parts.exposed = result.exposed;
  parts.synchronisation_s = overhead_s(sample, machine.nodes(), compute_s);
  parts.straggling_s += sample.step_spread * expected_largest_normal(machine.nodes()) * compute_s;
  return parts;
}

void add_neighbours(const StepSetup& setup, const Parameters& sample, const Machine& machine, Fidelity requested,
                    const JobTraffic& traffic, StepTime& time) {
  if (requested == Fidelity::formula) {
    if (has_neighbours(setup))
      time.choice.why = "no formula knows the neighbours on shared links, so that they are left out";
    return;
  }
  if (traffic.transfers.empty() || machine.nodes() < 2) return;
  const double rest_s = time.parts.synchronisation_s + time.parts.straggling_s;
  const auto cost = neighbours_cost(setup, sample, traffic, rest_s, requested);
  time.parts.neighbours_s = cost.added_s;
  time.simgrid_messages += cost.messages;
  if (*cost.why == '\0') return;
  if (!time.choice.why.empty()) time.choice.why += ", and ";
  time.choice.why += cost.why;
}

IterationResult add_synchronisation(const StepSetup& setup, const Parameters& sample, Fidelity requested,
                                    StepCache& memory, StepTime& time) {
  const auto inputs = communication_inputs(setup, sample);
  auto result = synchronised_iteration(setup, inputs, requested, memory);
  time.choice = result.choice;
  time.simgrid_messages = result.simgrid_messages;
  time.largest_collective = result.largest_collective;
  time.communication = result.part;
  time.mean_staleness = result.mean_staleness;
  const double compute_s = time.parts.compute_s;
  time.parts = nobody_waits(setup, inputs.machine)
                   ? asynchronous_parts(sample, inputs.machine, result, compute_s)
                   : synchronous_parts(setup, sample, inputs.machine, result, compute_s);
  if (2 * time.parts.exposed.offload_s > time.parts.exposed_communication_s) time.communication = "offload";
  add_neighbours(setup, sample, inputs.machine, requested, result.traffic, time);
  return result;
}

/// Adds the iteration of one GPU whose state is on its host. It synchronises with no other GPU.
IterationResult add_lone_offload(const StepSetup& setup, const Parameters& sample, Fidelity requested,
                                 StepCache& memory, StepTime& time) {
  const auto result = synchronised_iteration(setup, communication_inputs(setup, sample), requested, memory);
  time.choice = result.choice;
  time.parts = parts_of({result.end_s, time.parts.compute_s});
  time.parts.exposed = result.exposed;
  time.communication = "offload";
  return result;
}

/// Adds the iteration's parts on GPUs, but not the cost of synchronisation itself.
IterationResult add_iteration(const StepSetup& setup, const Parameters& sample, Fidelity requested, StepCache& memory,
                              StepTime& time) {
  if (synchronises(setup)) return add_synchronisation(setup, sample, requested, memory, time);
  if (is_offloaded(setup.strategy)) return add_lone_offload(setup, sample, requested, memory, time);
  return execute_iteration(graph_of_compute(setup, time.parts.compute_s, sample.input), requested, false);
}

/// Adds the wait for input. Samples are prefetched during the rest of the iteration, whose time is `discrepancy` times
/// the sum of its parts. Only the input's time beyond that is added.
void add_input_wait(double input_end_s, double discrepancy, StepTime& time) {
  const double without_s = discrepancy * sum_s(time.parts);
  time.parts.input_wait_s = std::max(0.0, input_end_s - without_s);
  time.iteration_s = without_s + time.parts.input_wait_s;
  time.parts = parts_of_whole(time.parts, time.iteration_s);
  name_shares(time);
}

} // namespace

StepSetup on_gpus(StepSetup setup, int gpus, int gpus_per_full_node) {
  setup.gpus = gpus;
  setup.gpus_per_node = std::min(gpus, gpus_per_full_node);
  setup.synchronised = gpus > 1;
  return setup;
}

namespace {

/// The machine whose ranks fill only as many nodes of each NVLink domain as the layout uses.
Machine with_domains_used(Machine machine, const StepSetup& setup) {
  const int domain = setup.gpus_per_node * domain_nodes(setup.cluster, setup.transport);
  const int used = gpus_of_domain_used(setup);
  if (used == domain || machine.ranks <= domain) return machine;
  machine.ranks_per_node = used;
  machine.nic_Bps = nic_rate_Bps(machine.nic_Bps, {.joined = 1.0 * used / domain});
  return machine;
}

} // namespace

int gpus_of_domain_used(const StepSetup& setup) {
  const int nodes = domain_nodes(setup.cluster, setup.transport);
  if (!is_model_parallel(setup.strategy.name) || seeks_best_layout(setup.strategy)) return setup.gpus_per_node * nodes;
  return gpus_of_domain_used(setup.strategy.parallel, setup.gpus, setup.gpus_per_node, nodes);
}

Machine machine_of(const StepSetup& setup, const Parameters& sample) {
  auto machine =
      with_domains_used(build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node), setup);
  if (!setup.fabrics) return machine;
  if (auto fabric = setup.fabrics->at(machine.nodes()))
    return build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node, std::move(fabric));
  machine.uplink_Bps =
      nic_rate_Bps(machine.uplink_Bps, {.other_traffic = setup.fabrics->co_location().background_traffic});
  return machine;
}

Machine machine_with_slow_node(const StepSetup& setup, const Parameters& sample) {
  auto machine = machine_of(setup, sample);
  if (machine.nodes() > 1) machine.slow_nic_factor = setup.slow_node.network_factor;
  return machine;
}

Strategy strategy_taken(const StepSetup& setup, const Parameters& sample) {
  Strategy taken = setup.strategy;
  if (!is_parameter_server(taken.name)) return taken;
  taken = completed(taken, setup.preset);
  taken.sharding = sharding_of(setup, sample);
  return taken;
}

bool starts_servers(const StepSetup& setup) {
  if (!is_parameter_server(setup.strategy.name) || setup.gpus == 1) return false;
  return setup.gpus > setup.gpus_per_node || setup.preset.serves_one_machine;
}

int dedicated_server_hosts(const StepSetup& setup, const Parameters& sample) {
  if (!is_parameter_server(setup.strategy.name) || setup.gpus == 1) return 0;
  const auto machine = machine_of(setup, sample);
  const auto servers =
      build_servers(completed(setup.strategy, setup.preset), machine, sample, setup.cluster.cores_per_node);
  return servers.dedicated && !serves_itself(setup, machine) ? servers.servers : 0;
}

double work_of_step(const StepSetup& setup, const Parameters& sample) {
  if (is_model_parallel(setup.strategy.name)) return operations_of_pipeline(setup.strategy.parallel);
  if (!is_parameter_server(setup.strategy.name) || setup.strategy.name == StrategyName::ps_async || setup.gpus == 1)
    return 1;
  const auto machine = machine_of(setup, sample);
  return work_of_servers(setup, sample,
                         compute_profile(backward_shape_of(setup), setup.one_gpu_s, sample.forward_share), machine);
}

StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity requested) {
  StepCache none;
  return time_step(setup, sample, requested, none);
}

StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity requested, StepCache& memory) {
  StepTime time;
  time.parts.compute_s = compute_of(setup, sample, memory);
  const auto result = add_iteration(setup, sample, requested, memory, time);
  const auto update = added_update(setup, sample);
  time.parts.compute_s = std::max(0.0, time.parts.compute_s + update.compute_s);
  time.parts.exposed_communication_s += update.gather_s;
  if (is_model_parallel(setup.strategy.name)) time.parts.exposed.data_parallel_s += update.gather_s;
  add_input_wait(result.input_end_s, synchronises(setup) ? sample.model_discrepancy : 1, time);
  return time;
}

double lone_collective_s(const StepSetup& setup, const Parameters& sample, CollectiveOperation operation,
                         double size_bytes) {
  auto rules = library_rules_of(setup, sample);
  rules.operation = operation;
  const auto machine = machine_with_slow_node(setup, sample);
  return started_s(rules, sample.operation_cost_s, formula_s(machine, cost_of(machine, rules, size_bytes)));
}

double lone_all_reduce_s(const StepSetup& setup, const Parameters& sample, double size_bytes) {
  return lone_collective_s(setup, sample, CollectiveOperation::all_reduce, size_bytes);
}

double lone_all_to_all_s(const StepSetup& setup, const Parameters& sample, double size_bytes) {
  const auto rules = library_rules_of(setup, sample);
  const auto machine = all_nics_slow(machine_with_slow_node(setup, sample));
  return started_s(rules, sample.operation_cost_s, exchange_s(machine, rules, size_bytes));
}

double latency_bandwidth_mix(const StepSetup& setup, const Parameters& sample, double size_bytes) {
  constexpr double least_bytes = 1;
  const double share = lone_all_reduce_s(setup, sample, least_bytes) / lone_all_reduce_s(setup, sample, size_bytes);
  return share < 1 ? 4 * share * (1 - share) : 0;
}

StepRun run_step(const StepSetup& setup, const Parameters& sample, Fidelity requested) {
  StepRun run;
  run.graph = synchronises(setup) || is_offloaded(setup.strategy)
                  ? iteration_graph(setup, communication_inputs(setup, sample), backward_shape_of(setup))
                  : graph_of_compute(setup, compute_s_of(setup, sample, backward_shape_of(setup)), sample.input);
  run.execution = execute_or_refuse(run.graph, requested, run.choice);
  return run;
}

} // namespace ddlsim
