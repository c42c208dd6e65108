#include "sim/iteration/server_step.hpp"

#include "sim/iteration/node_reduction.hpp"
#include "sim/network/machine.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>

namespace ddlsim {

Sharding sharding_of(const StepSetup& setup, const Parameters& sample) {
  const Sharding stated = setup.strategy.sharding;
  const auto& choices = setup.preset.shardings;
  const auto is_hash = [](const LikelyChoice& choice) { return choice.name == to_text(Sharding::hash); };
  const bool doubted = stated == Sharding::hash && std::any_of(choices.begin(), choices.end(), is_hash);
  if (stated != Sharding::unknown && !doubted) return stated;
  return sample.sharding ? *sample.sharding : *value_named<Sharding>(choices.front().name);
}

namespace {

std::vector<double> sizes_by_creation(const ComputeProfile& profile) {
  std::vector<double> sizes_bytes(profile.tensors.size());
  for (const auto& tensor : profile.tensors) sizes_bytes[tensor.tensor] = tensor.size_bytes;
  return sizes_bytes;
}

/// Tensors by order of creation, in the order backward makes their gradients ready.
std::vector<std::size_t> backward_order(const ComputeProfile& profile) {
  std::vector<std::size_t> order;
  for (const auto& tensor : profile.tensors) order.push_back(static_cast<std::size_t>(tensor.tensor));
  return order;
}

/// When each tensor may leave a node whose compute takes `slowdown` times as long, by order of creation.
std::vector<double> ready_to_leave_s(const StepSetup& setup, const ComputeProfile& profile, const NodeReduction& node,
                                     double slowdown, NodePaths& paths) {
  const bool as_it_goes = setup.preset.overlapped && !(setup.strategy.on_node_reduce && node.after_backward);
  std::vector<double> ready_s(profile.tensors.size());
  double latest_s = 0;
  for (const auto& tensor : profile.tensors) {
    latest_s = std::max(latest_s, slowdown * (as_it_goes ? tensor.ready_s : profile.total_s()));
    ready_s[tensor.tensor] = latest_s;
  }
  return setup.strategy.on_node_reduce ? paths.pass(node, backward_order(profile), ready_s) : ready_s;
}

ServerExchange build_exchange(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                              const Machine& machine, int servers, double slowdown, NodePaths& paths) {
  const auto by_creation = sizes_by_creation(profile);
  const auto node = plan_node_reduction(setup.preset, machine, by_creation);
  const auto ready_s = ready_to_leave_s(setup, profile, node, 1, paths);
  const auto slow_ready_s = slowdown != 1 ? ready_to_leave_s(setup, profile, node, slowdown, paths) : ready_s;
  const Sharding rule = sharding_of(setup, sample);
  ServerExchange exchange;
  std::uint64_t key_order = 0;
  if (rule == Sharding::hash)
    key_order = sample.key_order ? *sample.key_order : typical_key_order(by_creation, servers);
  exchange.shards = place_tensors(by_creation, servers, rule, setup.preset.split_bytes, key_order);
  std::stable_sort(exchange.shards.begin(), exchange.shards.end(),
                   [&](const Shard& a, const Shard& b) { return ready_s[a.tensor] < ready_s[b.tensor]; });
  for (const auto& shard : exchange.shards) exchange.ready_s.push_back(ready_s[shard.tensor]);
  if (slowdown != 1)
    for (const auto& shard : exchange.shards) exchange.slow_ready_s.push_back(slow_ready_s[shard.tensor]);
  exchange.messages_per_node = setup.strategy.on_node_reduce ? 1 : machine.ranks_per_node;
  return exchange;
}

/// Everything the engine needs of an exchange with servers.
struct ServerSetup {
  Machine machine;
  ServerMachine servers;
  ServerExchange exchange;
  std::string bottleneck;
};

ServerSetup set_up_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                           const Machine& machine, double slowdown, NodePaths& paths) {
  ServerSetup ready{machine, {}, {}, {}};
  ready.machine.nic_Bps *= sample.server_duplex;
  ready.servers = build_servers(completed(setup.strategy, setup.preset), ready.machine, sample);
  const bool local = serves_itself(setup, machine);
  if (local) { // memory copies: no socket, no RPC
    ready.servers.dedicated = false;
    ready.servers.process_Bps = 0;
    ready.servers.connection_Bps = 0;
  }
  ready.exchange = build_exchange(setup, sample, profile, ready.machine, ready.servers.servers, slowdown, paths);
  ready.exchange.message_cost_s = local ? 0 : sample.server_message_cost_s;
  const bool software = ready.servers.process_Bps > 0 && ready.servers.process_Bps < ready.machine.nic_Bps;
  ready.bottleneck = software ? "server-software" : "server-link";
  return ready;
}

} // namespace

bool serves_itself(const StepSetup& setup, const Machine& machine) {
  const bool dedicated = completed(setup.strategy, setup.preset).placement == Placement::dedicated;
  return machine.nodes() == 1 && (!dedicated || !setup.preset.serves_one_machine);
}

double work_of_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                       const Machine& machine) {
  const auto servers = build_servers(completed(setup.strategy, setup.preset), machine, sample);
  NodePaths paths(Fidelity::screening);
  const auto exchange = build_exchange(setup, sample, profile, machine, servers.servers, 1, paths);
  const auto classes = find_server_classes(machine, servers, exchange);
  std::size_t shards = 0;
  for (const auto& server : classes.servers) shards += server.shards.size();
  return static_cast<double>(shards) * static_cast<double>(classes.servers.size());
}

namespace {

/// One machine for which no server is started: tensors are summed among its GPUs and come back over the same paths.
CommunicationResult run_without_servers(const StepSetup& setup, const ComputeProfile& profile, const Machine& machine,
                                        double slowdown, Fidelity requested) {
  const Choice choice = choose_paths(requested);
  NodePaths paths(choice.fidelity);
  auto both_ways = plan_node_reduction(setup.preset, machine, sizes_by_creation(profile));
  for (double& bytes : both_ways.passing_bytes) bytes *= 2;
  double end_s = slowdown * profile.total_s();
  for (const double back_s : ready_to_leave_s(setup, profile, both_ways, slowdown, paths))
    end_s = std::max(end_s, back_s);
  return {end_s, "communication", choice, 0, paths.simgrid_messages()};
}

} // namespace

CommunicationResult run_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                                const Machine& machine, double slowdown, Fidelity requested) {
  if (serves_itself(setup, machine) && !setup.preset.serves_one_machine)
    return run_without_servers(setup, profile, machine, slowdown, requested);
  NodePaths paths(choose_paths(requested).fidelity);
  const ServerSetup ready = set_up_servers(setup, sample, profile, machine, slowdown, paths);
  const auto choice = choose_server_exchange(ready.machine, ready.servers, ready.exchange, requested);
  const auto timing = time_server_exchange(ready.machine, ready.servers, ready.exchange, choice.fidelity);
  double end_s = timing.end_s;
  if (setup.strategy.on_node_reduce)
    end_s = paths.spread_end_s(plan_node_reduction(setup.preset, ready.machine, sizes_by_creation(profile)),
                               ready.exchange, timing);
  return {std::max(slowdown * profile.total_s(), end_s), ready.bottleneck, choice, 0,
          timing.simgrid_messages + paths.simgrid_messages()};
}

CommunicationResult run_async_servers(const StepSetup& setup, const Parameters& sample, const ComputeProfile& profile,
                                      const Machine& machine, const WorkerDelays& delays, Fidelity requested) {
  NodePaths paths(Fidelity::screening);
  const ServerSetup ready = set_up_servers(setup, sample, profile, machine, 1, paths);
  AsyncExchange async;
  async.exchange = ready.exchange;
  const double spread_s =
      setup.strategy.on_node_reduce
          ? plan_node_reduction(setup.preset, machine, sizes_by_creation(profile)).busy_s(profile.tensors.back().tensor)
          : 0;
  const double before_s = delays.overhead_s + spread_s;
  for (double& ready_s : async.exchange.ready_s) ready_s += before_s;
  async.compute_s = before_s + profile.total_s();
  async.compute_spread = sample.step_spread * profile.total_s() / async.compute_s;
  async.slow_factor = (before_s + delays.slowdown * profile.total_s()) / async.compute_s;
  const auto choice = choose_async_servers(ready.machine, ready.servers, async, requested);
  const auto timing = time_async_servers(ready.machine, ready.servers, async, choice.fidelity);
  return {timing.iteration_s, ready.bottleneck, choice, timing.mean_staleness};
}

} // namespace ddlsim
