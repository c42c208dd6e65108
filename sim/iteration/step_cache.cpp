#include "sim/iteration/step_cache.hpp"

#include "sim/iteration/iteration_graph.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {
namespace {

/// Parameters that other inputs of the cache cover: build_machine() reads them, or they are part of compute_s.
constexpr double Parameters::*in_other_inputs[] = {
    &Parameters::compute_stack,  &Parameters::compute_model,    &Parameters::compute_factor,
    &Parameters::nic_efficiency, &Parameters::socket_Bps,       &Parameters::net_latency_s,
    &Parameters::link_spread,    &Parameters::intra_efficiency, &Parameters::intra_latency_factor};
/// Parameters whose seconds are added to communication. Asynchronous workers push that much later.
constexpr double Parameters::*beside[] = {&Parameters::sync_on_s, &Parameters::sync_share,
                                          &Parameters::second_node_jump, &Parameters::step_spread};
template <typename Fields> void clear(Parameters& sample, const Fields& fields) {
  for (const auto field : fields) sample.*field = 0;
}

} // namespace

CommunicationInputs communication_inputs(const StepSetup& setup, const Parameters& sample) {
  CommunicationInputs inputs{machine_with_slow_node(setup, sample), setup.one_gpu_s * compute_factor_of(sample),
                             sample};
  clear(inputs.sample, in_other_inputs);
  const bool servers = is_parameter_server(setup.strategy.name);
  for (const auto& field : parameter_fields())
    if (servers ? !field.seen_by.server_step : !field.seen_by.all_reduce_step) inputs.sample.*field.value = 0;
  if (needed_input_s(setup) == 0) inputs.sample.input = {};
  if (!servers) inputs.sample.key_order.reset();
  if (setup.strategy.name != StrategyName::ps_async) clear(inputs.sample, beside);
  return inputs;
}

} // namespace ddlsim
