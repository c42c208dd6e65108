#include "sim/iteration/step_cache.hpp"
#include "tests/predict/random_scenario.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr std::uint64_t worlds = 60;

/// Worlds in which every parameter counts.
RandomWorld costly_world(std::uint64_t seed) {
  RandomWorld random(seed, 8);
  auto& world = random.world;
  world.interference = uniform(random.random, 0, 0.3);
  world.link_spread = uniform(random.random, 0, 0.1);
  world.operation_cost_s = world.tensor_cost_s = world.tensor_cost_slope_s = 1e-4;
  world.sync_on_s = 1e-3;
  world.second_node_jump = world.step_spread = 0.02;
  world.server_process_Bps = log_uniform(random.random, 1e8, 1e10);
  world.server_connection_Bps = log_uniform(random.random, 1e8, 1e10);
  world.server_message_cost_s = 1e-5;
  return random;
}

Parameters moved(const Parameters& world, const ParameterField& field) {
  Parameters other = world;
  other.*field.value *= 1.1;
  return other;
}

void check_equal(const StepTime& a, const StepTime& b) {
  CHECK(a.iteration_s == b.iteration_s);
  CHECK(a.compute_s == b.compute_s);
  CHECK(a.exposed_communication_s == b.exposed_communication_s);
  CHECK(a.synchronisation_s == b.synchronisation_s);
  CHECK(a.straggling_s == b.straggling_s);
  CHECK(a.mean_staleness == b.mean_staleness);
  CHECK(a.bottleneck == b.bottleneck);
}

void check_every_parameter(const StepSetup& setup, const Parameters& world) {
  StepMemory memory;
  check_equal(time_step(setup, world, Fidelity::quick, memory), time_step(setup, world, Fidelity::quick));
  memory.learns = false;
  for (const auto& field : parameter_fields()) {
    INFO(setup.strategy.name << " on " << setup.gpus << ", " << field.name);
    const auto other = moved(world, field);
    check_equal(time_step(setup, other, Fidelity::quick, memory), time_step(setup, other, Fidelity::quick));
  }
}

bool travels_alike(const StepSetup& setup, const Parameters& world, double Parameters::*field) {
  return travel_inputs(setup, world) == travel_inputs(setup, moved(world, {"", field}));
}

} // namespace

TEST_CASE("with a memory of the world beside it, a step is the same to the bit", "[step-memory]") {
  for (std::uint64_t seed = 1; seed <= worlds; ++seed) {
    auto random = costly_world(seed);
    auto setup = random.setup();
    if (seed % 3 == 0) setup.slow_node = {1.2, 0.7};
    check_every_parameter(setup, random.world);
    if (setup.strategy.name != "ps") continue;
    setup.strategy.name = "ps-async";
    check_every_parameter(setup, random.world);
  }
}

TEST_CASE("what adds seconds afterwards does not decide how gradients travel", "[step-memory]") {
  auto random = costly_world(1);
  for (const std::string strategy : {"ring", "ps", "ps-async"}) {
    random.strategy.name = strategy;
    const auto setup = random.setup();
    const auto& world = random.world;
    for (const auto field : {&Parameters::sync_on_s, &Parameters::step_spread})
      CHECK(travels_alike(setup, world, field) == (strategy != "ps-async"));
    CHECK(travels_alike(setup, world, &Parameters::form_residual));
    CHECK(travels_alike(setup, world, &Parameters::interference) == (strategy != "ring"));
    CHECK(travels_alike(setup, world, &Parameters::server_process_Bps) == (strategy == "ring"));
    CHECK(travels_alike(setup, world, &Parameters::socket_Bps)); // the NIC is the narrower
    CHECK_FALSE(travels_alike(setup, world, &Parameters::nic_efficiency));
    CHECK_FALSE(travels_alike(setup, world, &Parameters::compute_factor));
  }
}

TEST_CASE("a memory keeps the last world it learnt from", "[step-memory]") {
  auto random = costly_world(2);
  const auto setup = random.setup();
  StepMemory memory;
  time_step(setup, random.world, Fidelity::quick, memory);
  const auto first = memory.travelled->inputs;
  const auto other = moved(random.world, {"", &Parameters::compute_factor});
  memory.learns = false;
  time_step(setup, other, Fidelity::quick, memory);
  CHECK(memory.travelled->inputs == first);
  memory.learns = true;
  time_step(setup, other, Fidelity::quick, memory);
  CHECK(memory.travelled->inputs == travel_inputs(setup, other));
}

} // namespace ddlsim
