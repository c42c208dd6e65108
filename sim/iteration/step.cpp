#include "sim/iteration/step.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/iteration/server_step.hpp"
#include "sim/iteration/step_cache.hpp"
#include "sim/iteration/timeline.hpp"
#include "sim/network/machine.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// Software cost of a tensor inside a collective: bookkeeping, copies, and the negotiation that all ranks have it
/// ready.
double tensor_cost_s(const StepSetup& setup, const Parameters& sample, const Machine& machine) {
  return sample.tensor_cost_s + sample.tensor_cost_slope_s * negotiation_hops(machine, setup.transport);
}

/// One rank whose library is on: every group is still handed to the library, and nothing travels.
CommunicationResult run_alone(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                              const Machine& machine) {
  const double per_tensor_s = tensor_cost_s(setup, sample, machine);
  const auto timeline = run_timeline(profile, setup.preset, sample.interference, [&](double, int tensors) {
    return sample.operation_cost_s + tensors * per_tensor_s;
  });
  return {timeline.end_s, "communication", {}, 0};
}

/// Times of all-reduces by their size: groups of one size are timed once.
class TimedSizes {
public:
  TimedSizes(const Machine& machine, Algorithm algorithm, Fidelity fidelity)
      : machine_(machine), algorithm_(algorithm), fidelity_(fidelity) {}

  /// All together, which is one run of SimGrid.
  void add(const std::vector<double>& sizes_bytes) {
    const auto times = time_all_reduces(machine_, sizes_bytes, algorithm_, fidelity_);
    for (std::size_t i = 0; i < sizes_bytes.size(); ++i) times_s_[sizes_bytes[i]] = times.times_s[i];
    simgrid_messages_ += times.messages;
  }

  double of(double size_bytes) {
    if (!times_s_.contains(size_bytes)) add({size_bytes});
    return times_s_[size_bytes];
  }

  double simgrid_messages() const { return simgrid_messages_; }

private:
  const Machine& machine_;
  Algorithm algorithm_;
  Fidelity fidelity_;
  std::map<double, double> times_s_;
  double simgrid_messages_ = 0;
};

std::vector<double> sizes_of(const Timeline& timeline) {
  std::set<double> sizes_bytes;
  for (const auto& group : timeline.groups) sizes_bytes.insert(group.size_bytes);
  return {sizes_bytes.begin(), sizes_bytes.end()};
}

/// The stream of all-reduces beside backward. A run by the closed form tells the sizes of groups, and so what the
/// requested fidelity would cost; groups that form while others are under way may come out otherwise on SimGrid.
CommunicationResult run_all_reduce(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                                   const Machine& machine, Fidelity requested) {
  const Algorithm algorithm = all_reduce_of(setup, sample);
  const double per_tensor_s = tensor_cost_s(setup, sample, machine);
  const auto run = [&](TimedSizes& sizes) {
    return run_timeline(profile, setup.preset, sample.interference, [&](double size_bytes, int tensors) {
      return sample.operation_cost_s + tensors * per_tensor_s + sizes.of(size_bytes);
    });
  };
  TimedSizes closed(machine, algorithm, Fidelity::closed_form);
  const auto timeline = run(closed);
  double size_bytes = 0;
  for (const auto& group : timeline.groups) size_bytes += group.size_bytes;
  const auto choice =
      choose_all_reduce(machine, algorithm, size_bytes, static_cast<int>(timeline.groups.size()), requested);
  if (choice.fidelity == Fidelity::closed_form) return {timeline.end_s, "communication", choice, 0};
  TimedSizes simulated(machine, algorithm, choice.fidelity);
  simulated.add(sizes_of(timeline));
  const double end_s = run(simulated).end_s;
  return {end_s, "communication", choice, 0, simulated.simgrid_messages()};
}

BackwardShape shape_of(const StepSetup& setup) {
  return backward_shape(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, setup.wire_bytes_per_parameter);
}

void name_shares(StepTime& time) {
  std::pair<double, std::string> largest{time.exposed_communication_s, time.communication};
  if (time.synchronisation_s > largest.first) largest = {time.synchronisation_s, "synchronisation"};
  if (time.straggling_s > largest.first) largest = {time.straggling_s, "straggling"};
  if (time.input_wait_s > largest.first) largest = {time.input_wait_s, "input"};
  time.largest_loss = largest.second;
  time.bottleneck = time.compute_s >= largest.first ? "compute" : largest.second;
}

/// Communication of strategies with barriers.
CommunicationResult run_strategy(const StepSetup& setup, const CommunicationInputs& inputs, const BackwardShape& shape,
                                 Fidelity requested) {
  const auto& [machine, compute_s, sample] = inputs;
  const double slowdown = machine.nodes() > 1 ? setup.slow_node.compute_factor : 1;
  const auto profile = compute_profile(shape, compute_s, sample.forward_share);
  const bool servers = is_parameter_server(setup.strategy.name);
  if (machine.ranks == 1 && servers) return {slowdown * profile.total_s(), "communication", {}, 0};
  if (machine.ranks == 1) return run_alone(setup, sample, profile, machine);
  if (servers) return run_servers(setup, sample, profile, machine, slowdown, requested);
  if (slowdown == 1) return run_all_reduce(setup, sample, profile, machine, requested);
  const auto slowest = compute_profile(shape, slowdown * profile.total_s(), sample.forward_share);
  return run_all_reduce(setup, sample, slowest, machine, requested); // a group waits for the slowest rank
}

/// Cost of synchronisation itself, without what travels.
double overhead_s(const Parameters& sample, int nodes, double compute_s) {
  return sample.sync_on_s + (nodes > 1 ? sample.second_node_jump * compute_s : 0);
}

/// No worker waits for the others: the slow node, the spread and the cost of synchronisation itself are in the mean
/// iteration already; that cost takes no server's time.
CommunicationResult run_asynchronous(const StepSetup& setup, const CommunicationInputs& inputs,
                                     const BackwardShape& shape, Fidelity requested) {
  const auto& [machine, compute_s, sample] = inputs;
  const int nodes = machine.nodes();
  const double slowdown = nodes > 1 ? setup.slow_node.compute_factor : 1;
  const auto profile = compute_profile(shape, compute_s, sample.forward_share);
  return run_async_servers(setup, sample, profile, machine, {overhead_s(sample, nodes, compute_s), slowdown},
                           requested);
}

bool nobody_waits(const StepSetup& setup, const Machine& machine) {
  return setup.strategy.name == StrategyName::ps_async && machine.ranks > 1;
}

/// Runs what the cache does not hold.
CommunicationResult simulate_communication(const StepSetup& setup, const CommunicationInputs& inputs,
                                           Fidelity requested, StepCache& memory) {
  if (memory.communication && memory.communication->inputs == inputs) return memory.communication->exposed;
  if (!memory.shape) memory.shape = shape_of(setup);
  const auto exposed = nobody_waits(setup, inputs.machine) ? run_asynchronous(setup, inputs, *memory.shape, requested)
                                                           : run_strategy(setup, inputs, *memory.shape, requested);
  if (memory.learns) memory.communication = {inputs, exposed};
  return exposed;
}

/// Fills in the parts except compute_s, which is known.
void add_asynchronous(const Parameters& sample, const Machine& machine, const CommunicationResult& exposed,
                      StepTime& time) {
  const double own_cost_s = overhead_s(sample, machine.nodes(), time.compute_s);
  time.mean_staleness = exposed.mean_staleness;
  // Drawn computes may be a little short of their mean.
  time.exposed_communication_s = std::max(0.0, exposed.end_s - time.compute_s - own_cost_s);
  time.synchronisation_s = own_cost_s;
}

void add_synchronous(const StepSetup& setup, const Parameters& sample, const Machine& machine,
                     const CommunicationResult& exposed, StepTime& time) {
  const double slowdown = machine.nodes() > 1 ? setup.slow_node.compute_factor : 1;
  time.exposed_communication_s = exposed.end_s - slowdown * time.compute_s;
  time.synchronisation_s = overhead_s(sample, machine.nodes(), time.compute_s);
  time.straggling_s = (slowdown - 1 + sample.step_spread * expected_largest_normal(machine.nodes())) * time.compute_s;
}

void add_synchronisation(const StepSetup& setup, const Parameters& sample, Fidelity requested, StepCache& memory,
                         StepTime& time) {
  const auto inputs = communication_inputs(setup, sample);
  const auto exposed = simulate_communication(setup, inputs, requested, memory);
  time.choice = exposed.choice;
  time.simgrid_messages = exposed.simgrid_messages;
  time.communication = exposed.bottleneck;
  if (nobody_waits(setup, inputs.machine)) return add_asynchronous(sample, inputs.machine, exposed, time);
  add_synchronous(setup, sample, inputs.machine, exposed, time);
}

/// Samples are prefetched beside everything else, which takes `discrepancy` times what the mechanisms say: only the
/// time beyond it shows.
void add_input(const StepSetup& setup, double discrepancy, StepTime& time) {
  const double without_s = discrepancy * parts_s(time);
  const int nodes = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
  const double needed_s = input_s(setup.input, setup.cluster.storage, nodes, setup.batch_per_gpu * setup.gpus_per_node);
  time.input_wait_s = std::max(0.0, needed_s - without_s);
  time.iteration_s = without_s + time.input_wait_s;
  name_shares(time);
}

} // namespace

Algorithm all_reduce_of(const StepSetup& setup, const Parameters& sample) {
  if (const auto named = algorithm_of(setup.strategy.name)) return *named;
  if (!setup.preset.all_reduce.empty())
    return sample.all_reduce ? *sample.all_reduce : *value_named<Algorithm>(setup.preset.all_reduce.front().name);
  return Algorithm::ring;
}

Strategy strategy_taken(const StepSetup& setup, const Parameters& sample) {
  Strategy taken = setup.strategy;
  if (!is_parameter_server(taken.name)) return taken;
  taken = completed(taken, setup.preset);
  taken.sharding = sharding_of(setup, sample);
  return taken;
}

int dedicated_server_hosts(const StepSetup& setup, const Parameters& sample) {
  if (!is_parameter_server(setup.strategy.name) || setup.gpus == 1) return 0;
  const auto machine = build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node);
  const auto servers = build_servers(completed(setup.strategy, setup.preset), machine, sample);
  return servers.dedicated && !serves_itself(setup, machine) ? servers.servers : 0;
}

double work_of_step(const StepSetup& setup, const Parameters& sample) {
  if (!is_parameter_server(setup.strategy.name) || setup.strategy.name == StrategyName::ps_async || setup.gpus == 1)
    return 1;
  const auto machine = build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node);
  return work_of_servers(setup, sample, compute_profile(shape_of(setup), setup.one_gpu_s, sample.forward_share),
                         machine);
}

StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity requested) {
  StepCache none;
  return time_step(setup, sample, requested, none);
}

double parts_s(const StepTime& time) {
  return time.compute_s + time.exposed_communication_s + time.synchronisation_s + time.straggling_s + time.input_wait_s;
}

StepTime time_step(const StepSetup& setup, const Parameters& sample, Fidelity requested, StepCache& memory) {
  StepTime time;
  time.compute_s = setup.one_gpu_s * sample.compute_factor;
  const bool synchronises = setup.synchronised && setup.strategy.name != StrategyName::none;
  try {
    if (synchronises) add_synchronisation(setup, sample, requested, memory, time);
  } catch (const NoSymmetry& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  } catch (const TooManyMessages& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  }
  add_input(setup, synchronises ? sample.model_discrepancy : 1, time);
  return time;
}

} // namespace ddlsim
