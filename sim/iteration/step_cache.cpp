#include "sim/iteration/step_cache.hpp"

#include "sim/network/machine.hpp"

#include <algorithm>
#include <tuple>

namespace ddlsim {
namespace {

/// Read by build_machine(), or part of compute_s.
constexpr double Parameters::*in_other_inputs[] = {&Parameters::compute_factor,      &Parameters::nic_efficiency,
                                                   &Parameters::socket_Bps,          &Parameters::net_latency_s,
                                                   &Parameters::link_spread,         &Parameters::intra_efficiency,
                                                   &Parameters::intra_latency_factor};
/// Seconds added to communication; asynchronous workers push that much later.
constexpr double Parameters::*beside[] = {&Parameters::sync_on_s, &Parameters::second_node_jump,
                                          &Parameters::step_spread};
constexpr double Parameters::*of_all_reduce[] = {&Parameters::interference, &Parameters::operation_cost_s,
                                                 &Parameters::tensor_cost_s, &Parameters::tensor_cost_slope_s};
constexpr double Parameters::*of_servers[] = {&Parameters::server_process_Bps, &Parameters::server_connection_Bps,
                                              &Parameters::server_duplex, &Parameters::server_message_cost_s};

template <typename Fields> void clear(Parameters& sample, const Fields& fields) {
  for (const auto field : fields) sample.*field = 0;
}

/// Every field of the machine: one more, and this no longer compiles.
auto numbers(const Machine& machine) {
  const auto& [ranks, per_node, intra_Bps, intra_s, nic_Bps, net_s, per_leaf, uplink_Bps, slow] = machine;
  return std::tuple(ranks, per_node, intra_Bps, intra_s, nic_Bps, net_s, per_leaf, uplink_Bps, slow);
}

bool same(const Parameters& a, const Parameters& b) {
  const auto fields = parameter_fields();
  return a.all_reduce == b.all_reduce && a.sharding == b.sharding &&
         std::all_of(fields.begin(), fields.end(),
                     [&](const ParameterField& field) { return a.*field.value == b.*field.value; });
}

} // namespace

bool operator==(const CommunicationInputs& a, const CommunicationInputs& b) {
  return a.compute_s == b.compute_s && numbers(a.machine) == numbers(b.machine) && same(a.sample, b.sample);
}

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample) {
  CommunicationInputs inputs{build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node),
                             setup.one_gpu_s * sample.compute_factor, sample};
  if (inputs.machine.nodes() > 1) inputs.machine.slow_nic_factor = setup.slow_node.network_factor;
  inputs.sample.model_discrepancy = 1;
  clear(inputs.sample, in_other_inputs);
  const bool servers = is_parameter_server(setup.strategy.name);
  if (servers) clear(inputs.sample, of_all_reduce);
  if (!servers) clear(inputs.sample, of_servers);
  if (setup.strategy.name != StrategyName::ps_async) clear(inputs.sample, beside);
  return inputs;
}

} // namespace ddlsim
