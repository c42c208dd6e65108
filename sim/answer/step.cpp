#include "sim/answer/step.hpp"

#include "sim/files/error.hpp"
#include "sim/model/build_machine.hpp"
#include "sim/model/normal.hpp"
#include "sim/model/timeline.hpp"
#include "sim/server/server_classes.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

bool is_parameter_server(const Strategy& strategy) {
  return strategy.name == "ps";
}

/// The all-reduce of that name; where the name leaves it open, what the preset's library does in this world.
Algorithm algorithm_of(const StepSetup& setup, const Parameters& world) {
  if (const auto named = algorithm_named(setup.strategy.name)) return *named;
  double reached = 0;
  for (const auto& form : setup.preset.all_reduce) {
    reached += form.weight;
    if (world.form_draw < reached) return algorithm_named(form.name).value_or(Algorithm::ring);
  }
  return Algorithm::ring;
}

/// What synchronisation adds, whichever way it is done.
struct Exposed {
  double end_s = 0; ///< of the iteration, before straggling and the like
  std::string bottleneck = "communication";
  Choice choice;
};

/// The stream of all-reduces beside backward. The closed form says first how many operations of which size there are,
/// and so what the fidelity asked for would cost.
Exposed run_all_reduce(const StepSetup& setup, const Parameters& world, const ComputeProfile& profile,
                       const Machine& machine, Fidelity wish) {
  const Algorithm algorithm = algorithm_of(setup, world);
  const auto run = [&](Fidelity fidelity) {
    std::map<double, double> known; // groups of one size are timed once
    return run_timeline(profile, setup.preset, world.interference, [&](double size_bytes, int tensors) {
      auto found = known.find(size_bytes);
      if (found == known.end())
        found = known.emplace(size_bytes, time_all_reduces(machine, {size_bytes}, algorithm, fidelity).front()).first;
      return world.operation_cost_s + tensors * world.tensor_cost_s + found->second;
    });
  };
  auto timeline = run(Fidelity::closed_form);
  double size_bytes = 0;
  for (const auto& group : timeline.groups) size_bytes += group.size_bytes;
  const auto choice = choose_all_reduce(machine, algorithm, size_bytes, static_cast<int>(timeline.groups.size()), wish);
  if (choice.fidelity != Fidelity::closed_form) timeline = run(choice.fidelity);
  return {timeline.end_s, "communication", choice};
}

/// Gradients of a node's GPUs are summed inside the node, one tensor after another, before they leave it.
double node_reduce_s(const Machine& machine, double size_bytes) {
  const double others = machine.ranks_per_node - 1;
  return others > 0 && machine.intra_Bps > 0 ? others / machine.ranks_per_node * size_bytes / machine.intra_Bps : 0;
}

/// When each tensor may leave a node whose compute takes `slowdown` times as long, by order of creation.
std::vector<double> ready_to_leave_s(const StepSetup& setup, const ComputeProfile& profile, const Machine& machine,
                                     double slowdown) {
  std::vector<double> ready_s(profile.tensors.size());
  double reduced_s = 0;
  for (const auto& tensor : profile.tensors) {
    const double available_s = slowdown * (setup.preset.overlapped ? tensor.ready_s : profile.total_s());
    reduced_s = std::max(reduced_s, available_s);
    if (setup.strategy.on_node_reduce) reduced_s += node_reduce_s(machine, tensor.size_bytes);
    ready_s[tensor.tensor] = reduced_s;
  }
  return ready_s;
}

ServerExchange build_exchange(const StepSetup& setup, const ComputeProfile& profile, const Machine& machine,
                              int servers, double slowdown) {
  std::vector<double> by_creation(profile.tensors.size());
  for (const auto& tensor : profile.tensors) by_creation[tensor.tensor] = tensor.size_bytes;
  const auto ready_s = ready_to_leave_s(setup, profile, machine, 1);
  const auto slow_ready_s = ready_to_leave_s(setup, profile, machine, slowdown);
  const std::string rule = setup.strategy.sharding == "unknown" ? setup.preset.sharding : setup.strategy.sharding;
  ServerExchange exchange;
  exchange.shards = place_tensors(by_creation, servers, rule, setup.preset.split_bytes);
  std::stable_sort(exchange.shards.begin(), exchange.shards.end(),
                   [&](const Shard& a, const Shard& b) { return ready_s[a.tensor] < ready_s[b.tensor]; });
  for (const auto& shard : exchange.shards) exchange.ready_s.push_back(ready_s[shard.tensor]);
  if (slowdown != 1)
    for (const auto& shard : exchange.shards) exchange.slow_ready_s.push_back(slow_ready_s[shard.tensor]);
  exchange.messages_per_node = setup.strategy.on_node_reduce ? 1 : machine.ranks_per_node;
  return exchange;
}

/// One node whose servers live on it. BytePS starts none for a single machine (bytedance/byteps docs: non-distributed
/// mode).
bool serves_itself(const StepSetup& setup, const Machine& machine) {
  return machine.nodes() == 1 && (setup.strategy.placement != "dedicated" || setup.preset.library == "byteps");
}

Exposed run_servers(const StepSetup& setup, const Parameters& world, const ComputeProfile& profile, Machine machine,
                    double slowdown, Fidelity wish) {
  machine.nic_Bps *= world.server_duplex;
  ServerMachine servers = build_servers(setup.strategy, machine, world);
  const bool local = serves_itself(setup, machine);
  if (local) { // memory copies: no socket, no RPC
    servers.dedicated = false;
    servers.process_Bps = 0;
    servers.connection_Bps = 0;
  }
  auto exchange = build_exchange(setup, profile, machine, servers.servers, slowdown);
  exchange.message_cost_s = local ? 0 : world.server_message_cost_s;
  const auto choice = choose_server_exchange(machine, servers, exchange, wish);
  const auto timing = time_server_exchange(machine, servers, exchange, choice.fidelity);
  const double spread_s = setup.strategy.on_node_reduce ? node_reduce_s(machine, profile.tensors.back().size_bytes) : 0;
  const bool software = servers.process_Bps > 0 && servers.process_Bps < machine.nic_Bps;
  return {std::max(slowdown * profile.total_s(), timing.end_s + spread_s), software ? "server-software" : "server-link",
          choice};
}

ComputeProfile profile_of(const StepSetup& setup, const Parameters& world, double total_s) {
  return compute_profile(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, total_s, world.forward_share,
                         setup.wire_bytes_per_parameter);
}

void name_shares(StepTime& time, const std::string& communication) {
  std::pair<double, std::string> largest{time.exposed_communication_s, communication};
  if (time.synchronisation_s > largest.first) largest = {time.synchronisation_s, "synchronisation"};
  if (time.straggling_s > largest.first) largest = {time.straggling_s, "straggling"};
  time.largest_loss = largest.second;
  time.bottleneck = time.compute_s >= largest.first ? "compute" : largest.second;
}

Exposed run_strategy(const StepSetup& setup, const Parameters& world, const ComputeProfile& profile,
                     const Machine& machine, double slowdown, Fidelity wish) {
  if (machine.ranks == 1) return {slowdown * profile.total_s(), "communication", {}};
  if (is_parameter_server(setup.strategy)) return run_servers(setup, world, profile, machine, slowdown, wish);
  const auto slowest = slowdown == 1 ? profile : profile_of(setup, world, slowdown * profile.total_s());
  return run_all_reduce(setup, world, slowest, machine, wish); // a group waits for the slowest rank
}

/// Fills in everything but compute_s, which is known.
void run_synchronised(const StepSetup& setup, const Parameters& world, Fidelity wish, StepTime& time) {
  const auto profile = profile_of(setup, world, time.compute_s);
  auto machine = build_machine(setup.cluster, setup.transport, world, setup.gpus, setup.gpus_per_node);
  const bool several = machine.nodes() > 1;
  if (several) machine.slow_nic_factor = setup.slow_node.network_factor;
  const double slowdown = several ? setup.slow_node.compute_factor : 1;
  const auto exposed = run_strategy(setup, world, profile, machine, slowdown, wish);
  const double jump_s = several ? world.second_node_jump * time.compute_s : 0;
  time.choice = exposed.choice;
  time.exposed_communication_s = (exposed.end_s - slowdown * time.compute_s) * world.form_residual;
  time.synchronisation_s = (world.sync_on_s + jump_s) * world.form_residual;
  time.straggling_s = (slowdown - 1 + world.step_spread * expected_largest_normal(machine.nodes())) * time.compute_s *
                      world.form_residual;
  time.compute_s *= world.form_residual;
  time.iteration_s = time.compute_s + time.exposed_communication_s + time.synchronisation_s + time.straggling_s;
  name_shares(time, exposed.bottleneck);
}

} // namespace

int dedicated_server_hosts(const StepSetup& setup, const Parameters& world) {
  if (!is_parameter_server(setup.strategy) || setup.gpus == 1) return 0;
  const auto machine = build_machine(setup.cluster, setup.transport, world, setup.gpus, setup.gpus_per_node);
  const auto servers = build_servers(setup.strategy, machine, world);
  return servers.dedicated && !serves_itself(setup, machine) ? servers.servers : 0;
}

double work_of_step(const StepSetup& setup, const Parameters& world) {
  if (!is_parameter_server(setup.strategy) || setup.gpus == 1) return 1;
  const auto machine = build_machine(setup.cluster, setup.transport, world, setup.gpus, setup.gpus_per_node);
  const auto servers = build_servers(setup.strategy, machine, world);
  const auto exchange = build_exchange(setup, profile_of(setup, world, setup.one_gpu_s), machine, servers.servers, 1);
  const auto classes = find_server_classes(machine, servers, exchange);
  std::size_t shards = 0;
  for (const auto& server : classes.servers) shards += server.shards.size();
  return static_cast<double>(shards) * static_cast<double>(classes.servers.size());
}

bool can_simulate(const Strategy& strategy) {
  return algorithm_named(strategy.name) || strategy.name == "none" || strategy.name == "all-reduce" ||
         strategy.name == "auto" || is_parameter_server(strategy);
}

StepTime time_step(const StepSetup& setup, const Parameters& world, Fidelity wish) {
  if (!can_simulate(setup.strategy)) {
    throw UserError("", "/strategies",
                    "\"" + setup.strategy.name +
                        "\" cannot be simulated yet; give an all-reduce (ring, hierarchical-ring, tree, "
                        "halving-doubling) or ps");
  }
  StepTime time;
  time.compute_s = setup.one_gpu_s * world.compute_factor;
  if (!setup.synchronised || setup.strategy.name == "none") {
    time.iteration_s = time.compute_s;
    time.bottleneck = "compute";
    return time;
  }
  try {
    run_synchronised(setup, world, wish, time);
  } catch (const CannotFold& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  } catch (const TooManyMessages& refusal) {
    throw UserError("--fidelity", "", refusal.what());
  }
  return time;
}

} // namespace ddlsim
