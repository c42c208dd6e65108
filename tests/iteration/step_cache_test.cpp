#include "sim/iteration/step_cache.hpp"
#include "tests/predict/random_scenario.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr std::uint64_t samples = 60;

/// Samples in which every parameter counts.
RandomScenario costly_sample(std::uint64_t seed) {
  RandomScenario random(seed, 8);
  auto& sample = random.sample;
  sample.interference = uniform(random.random, 0, 0.3);
  sample.link_spread = uniform(random.random, 0, 0.1);
  sample.operation_cost_s = sample.tensor_cost_s = sample.tensor_cost_slope_s = 1e-4;
  sample.sync_on_s = 1e-3;
  sample.sync_share = sample.second_node_jump = sample.step_spread = 0.02;
  sample.server_process_Bps = log_uniform(random.random, 1e8, 1e10);
  sample.server_connection_Bps = log_uniform(random.random, 1e8, 1e10);
  sample.server_message_cost_s = 1e-5;
  return random;
}

Parameters moved(const Parameters& sample, double Parameters::*field) {
  Parameters other = sample;
  other.*field *= 1.1;
  return other;
}

void check_equal(const StepTime& a, const StepTime& b) {
  CHECK(a.iteration_s == b.iteration_s);
  CHECK(a.parts.compute_s == b.parts.compute_s);
  CHECK(a.parts.exposed_communication_s == b.parts.exposed_communication_s);
  CHECK(a.parts.synchronisation_s == b.parts.synchronisation_s);
  CHECK(a.parts.straggling_s == b.parts.straggling_s);
  CHECK(a.mean_staleness == b.mean_staleness);
  CHECK(a.bottleneck == b.bottleneck);
}

void check_every_parameter(const StepSetup& setup, const Parameters& sample) {
  StepCache memory;
  check_equal(time_step(setup, sample, Fidelity::formula, memory), time_step(setup, sample, Fidelity::formula));
  memory.stores = false;
  for (const auto& field : parameter_fields()) {
    INFO(to_text(setup.strategy.name) << " on " << setup.gpus << ", " << field.name);
    const auto other = moved(sample, field.value);
    check_equal(time_step(setup, other, Fidelity::formula, memory), time_step(setup, other, Fidelity::formula));
  }
}

bool same_communication(const StepSetup& setup, const Parameters& sample, double Parameters::*field) {
  return communication_inputs(setup, sample) == communication_inputs(setup, moved(sample, field));
}

} // namespace

TEST_CASE("with a memory of the sample beside it, a step is the same to the bit", "[step-memory]") {
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    auto random = costly_sample(seed);
    auto setup = random.setup();
    if (seed % 3 == 0) setup.slow_node = {1.2, 0.7};
    if (seed % 2 == 0) setup.transport.name = "nccl-tcp";
    check_every_parameter(setup, random.sample);
    if (setup.strategy.name != StrategyName::ps) continue;
    setup.strategy.name = StrategyName::ps_async;
    check_every_parameter(setup, random.sample);
  }
}

TEST_CASE("with a memory of samples that place tensors otherwise, a step is the same to the bit", "[step-memory]") {
  for (std::uint64_t seed = 1; seed <= samples; ++seed) {
    auto random = costly_sample(seed);
    auto setup = random.setup();
    if (!is_parameter_server(setup.strategy.name)) continue;
    setup.strategy.sharding = Sharding::unknown;
    StepCache memory;
    std::uint64_t key_order = 1;
    for (const Sharding sharding :
         {Sharding::bytes, Sharding::hash, Sharding::hash, Sharding::split, Sharding::bytes}) {
      auto sample = moved(random.sample, &Parameters::forward_share);
      sample.sharding = sharding;
      sample.key_order = key_order++;
      check_equal(time_step(setup, sample, Fidelity::formula, memory), time_step(setup, sample, Fidelity::formula));
    }
  }
}

TEST_CASE("what adds seconds afterwards does not decide how gradients travel", "[step-memory]") {
  auto random = costly_sample(1);
  for (const StrategyName strategy : {StrategyName::ring, StrategyName::ps, StrategyName::ps_async}) {
    random.strategy.name = strategy;
    const auto setup = random.setup();
    const auto& sample = random.sample;
    for (const auto field : {&Parameters::sync_on_s, &Parameters::sync_share, &Parameters::step_spread})
      CHECK(same_communication(setup, sample, field) == (strategy != StrategyName::ps_async));
    CHECK(same_communication(setup, sample, &Parameters::model_discrepancy));
    CHECK(same_communication(setup, sample, &Parameters::interference) == (strategy != StrategyName::ring));
    CHECK(same_communication(setup, sample, &Parameters::server_process_Bps) == (strategy == StrategyName::ring));
    CHECK(same_communication(setup, sample, &Parameters::socket_Bps)); // the NIC is the narrower
    CHECK_FALSE(same_communication(setup, sample, &Parameters::nic_efficiency));
    CHECK_FALSE(same_communication(setup, sample, &Parameters::compute_factor));
  }
}

TEST_CASE("a memory keeps the last sample it learnt from", "[step-memory]") {
  auto random = costly_sample(2);
  const auto setup = random.setup();
  StepCache memory;
  time_step(setup, random.sample, Fidelity::formula, memory);
  const auto first = memory.iteration->inputs;
  const auto other = moved(random.sample, &Parameters::compute_factor);
  memory.stores = false;
  time_step(setup, other, Fidelity::formula, memory);
  CHECK(memory.iteration->inputs == first);
  memory.stores = true;
  time_step(setup, other, Fidelity::formula, memory);
  CHECK(memory.iteration->inputs == communication_inputs(setup, other));
}

} // namespace ddlsim
