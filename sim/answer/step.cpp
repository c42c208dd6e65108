#include "sim/answer/step.hpp"

#include "sim/files/error.hpp"
#include "sim/model/build_machine.hpp"
#include "sim/model/normal.hpp"
#include "sim/model/timeline.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ddlsim {
namespace {

bool is_parameter_server(const Strategy& strategy) {
  return strategy.name == "ps";
}

/// The all-reduce of that name; the flat ring where the name leaves it open.
Algorithm algorithm_of(const Strategy& strategy) {
  return algorithm_named(strategy.name).value_or(Algorithm::ring);
}

/// What synchronisation adds, whichever way it is done.
struct Exposed {
  double end_s = 0; ///< of the iteration, before straggling and the like
  std::string bottleneck = "communication";
};

Exposed run_all_reduce(const StepSetup& setup, const Parameters& world, const ComputeProfile& profile,
                       const Machine& machine, Fidelity fidelity) {
  const Algorithm algorithm = algorithm_of(setup.strategy);
  std::map<double, double> known; // a full run is dear; groups of one size are timed once
  const OperationTime operation = [&](double size_bytes, int tensors) {
    auto found = known.find(size_bytes);
    if (found == known.end())
      found = known.emplace(size_bytes, time_all_reduces(machine, {size_bytes}, algorithm, fidelity).front()).first;
    return world.operation_cost_s + tensors * world.tensor_cost_s + found->second;
  };
  const auto timeline = run_timeline(profile, setup.preset, world.interference, operation);
  return {timeline.end_s, "communication"};
}

/// Gradients of a node's GPUs are summed inside the node, one tensor after another, before they leave it.
double node_reduce_s(const Machine& machine, double size_bytes) {
  const double others = machine.ranks_per_node - 1;
  return others > 0 && machine.intra_Bps > 0 ? others / machine.ranks_per_node * size_bytes / machine.intra_Bps : 0;
}

ServerExchange build_exchange(const StepSetup& setup, const ComputeProfile& profile, const Machine& machine,
                              int servers) {
  std::vector<double> by_creation(profile.tensors.size());
  std::vector<double> ready_s(profile.tensors.size());
  double reduced_s = 0;
  for (const auto& tensor : profile.tensors) {
    const double available_s = setup.preset.overlapped ? tensor.ready_s : profile.total_s();
    reduced_s = std::max(reduced_s, available_s);
    if (setup.strategy.on_node_reduce) reduced_s += node_reduce_s(machine, tensor.size_bytes);
    by_creation[tensor.tensor] = tensor.size_bytes;
    ready_s[tensor.tensor] = reduced_s;
  }
  const std::string rule = setup.strategy.sharding == "unknown" ? setup.preset.sharding : setup.strategy.sharding;
  ServerExchange exchange;
  exchange.shards = place_tensors(by_creation, servers, rule, setup.preset.split_bytes);
  std::stable_sort(exchange.shards.begin(), exchange.shards.end(),
                   [&](const Shard& a, const Shard& b) { return ready_s[a.tensor] < ready_s[b.tensor]; });
  for (const auto& shard : exchange.shards) exchange.ready_s.push_back(ready_s[shard.tensor]);
  exchange.messages_per_node = setup.strategy.on_node_reduce ? 1 : machine.ranks_per_node;
  return exchange;
}

/// One node whose servers live on it. BytePS starts none for a single machine (bytedance/byteps docs: non-distributed
/// mode).
bool serves_itself(const StepSetup& setup, const Machine& machine) {
  return machine.nodes() == 1 && (setup.strategy.placement != "dedicated" || setup.preset.library == "byteps");
}

Exposed run_servers(const StepSetup& setup, const Parameters& world, const ComputeProfile& profile, Machine machine,
                    Fidelity fidelity) {
  machine.nic_Bps *= world.server_duplex;
  ServerMachine servers = build_servers(setup.strategy, machine, world);
  const bool local = serves_itself(setup, machine);
  if (local) { // memory copies: no socket, no RPC
    servers.dedicated = false;
    servers.process_Bps = 0;
    servers.connection_Bps = 0;
  }
  auto exchange = build_exchange(setup, profile, machine, servers.servers);
  exchange.message_cost_s = local ? 0 : world.server_message_cost_s;
  const auto timing = time_server_exchange(machine, servers, exchange, fidelity);
  const double spread_s = setup.strategy.on_node_reduce ? node_reduce_s(machine, profile.tensors.back().size_bytes) : 0;
  const bool software = servers.process_Bps > 0 && servers.process_Bps < machine.nic_Bps;
  return {std::max(profile.total_s(), timing.end_s + spread_s), software ? "server-software" : "server-link"};
}

void name_shares(StepTime& time, const std::string& communication) {
  std::pair<double, std::string> largest{time.exposed_communication_s, communication};
  if (time.synchronisation_s > largest.first) largest = {time.synchronisation_s, "synchronisation"};
  if (time.straggling_s > largest.first) largest = {time.straggling_s, "straggling"};
  time.largest_loss = largest.second;
  time.bottleneck = time.compute_s >= largest.first ? "compute" : largest.second;
}

} // namespace

int dedicated_server_hosts(const StepSetup& setup, const Parameters& world) {
  if (!is_parameter_server(setup.strategy) || setup.gpus == 1) return 0;
  const auto machine = build_machine(setup.cluster, setup.transport, world, setup.gpus, setup.gpus_per_node);
  const auto servers = build_servers(setup.strategy, machine, world);
  return servers.dedicated && !serves_itself(setup, machine) ? servers.servers : 0;
}

bool can_simulate(const Strategy& strategy) {
  return algorithm_named(strategy.name) || strategy.name == "none" || strategy.name == "all-reduce" ||
         strategy.name == "auto" || is_parameter_server(strategy);
}

StepTime time_step(const StepSetup& setup, const Parameters& world, Fidelity fidelity) {
  if (!can_simulate(setup.strategy))
    throw UserError("", "/strategies",
                    "\"" + setup.strategy.name +
                        "\" cannot be simulated yet; give an all-reduce (ring, hierarchical-ring, tree, "
                        "halving-doubling) or ps");
  StepTime time;
  time.compute_s = setup.one_gpu_s * world.compute_factor;
  if (!setup.synchronised || setup.strategy.name == "none") {
    time.iteration_s = time.compute_s;
    time.bottleneck = "compute";
    return time;
  }
  const auto profile = compute_profile(setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, time.compute_s,
                                       world.forward_share, setup.wire_bytes_per_parameter);
  const auto machine = build_machine(setup.cluster, setup.transport, world, setup.gpus, setup.gpus_per_node);
  Exposed exposed{time.compute_s, "communication"};
  if (setup.gpus > 1)
    exposed = is_parameter_server(setup.strategy) ? run_servers(setup, world, profile, machine, fidelity)
                                                  : run_all_reduce(setup, world, profile, machine, fidelity);
  const double jump_s = machine.nodes() > 1 ? world.second_node_jump * time.compute_s : 0;
  time.exposed_communication_s = (exposed.end_s - time.compute_s) * world.form_residual;
  time.synchronisation_s = (world.sync_on_s + jump_s) * world.form_residual;
  time.straggling_s =
      world.step_spread * time.compute_s * expected_largest_normal(machine.nodes()) * world.form_residual;
  time.compute_s *= world.form_residual;
  time.iteration_s = time.compute_s + time.exposed_communication_s + time.synchronisation_s + time.straggling_s;
  name_shares(time, exposed.bottleneck);
  return time;
}

} // namespace ddlsim
