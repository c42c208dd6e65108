#include "sim/iteration/iteration_graph.hpp"
#include "sim/iteration/iteration_parts.hpp"
#include "sim/iteration/step.hpp"
#include "tests/predict/even_model.hpp"
#include "tests/predict/random_scenario.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr double sum_rounding = 1e-9;

/// The same, with all that is added to a pass: a slow node, stragglers, cost of synchronisation, starving input.
void check_parts_add_up(StepSetup setup, Parameters sample) {
  sample.sync_on_s = 1e-3;
  sample.sync_share = sample.second_node_jump = sample.step_spread = 0.02;
  for (const double discrepancy : {1.0, 1.3}) {
    sample.model_discrepancy = discrepancy;
    for (const auto fidelity : {Fidelity::formula, Fidelity::by_default}) {
      INFO(to_text(setup.strategy.name) << " on " << setup.gpus << (fidelity == Fidelity::formula ? ", formula" : ""));
      const auto time = time_step(setup, sample, fidelity);
      const auto& parts = time.parts;
      CHECK(sum_s(parts) == Approx(time.iteration_s).epsilon(sum_rounding));
      const auto run = run_step(setup, sample, fidelity);
      const bool waits = setup.strategy.name != StrategyName::ps_async;
      const double slower = waits ? slowdown_of(setup, run.graph.machine) - 1 : 0;
      const double in_pass_s = (1 + slower) * parts.compute_s + parts.bubble_s + parts.exposed_communication_s +
                               (waits ? 0 : parts.synchronisation_s);
      CHECK(in_pass_s >= run.execution.end_s * (1 - sum_rounding)); // the mean of drawn computes may be a little short
      if (waits) CHECK(in_pass_s == Approx(run.execution.end_s).epsilon(sum_rounding));
      CHECK(parts.slow_node_s == Approx(slower * parts.compute_s));
      CHECK(parts.straggling_s >= parts.slow_node_s);
    }
  }
}

} // namespace

TEST_CASE("what nothing else accounts for in a pass is exposed communication", "[parts]") {
  const auto plain = parts_of({10, 6});
  CHECK(plain.compute_s == 6);
  CHECK(plain.exposed_communication_s == 4);
  const auto slow = parts_of({10, 6, 1.2});
  CHECK(slow.straggling_s == 1.2);
  CHECK(slow.slow_node_s == 1.2);
  CHECK(slow.exposed_communication_s == Approx(2.8));
  const auto stages = parts_of({10, 6, 0, 0, 8});
  CHECK(stages.bubble_s == 2);
  CHECK(stages.exposed_communication_s == 2);
  const auto workers = parts_of({10, 6, 0, 1, 0, true});
  CHECK(workers.synchronisation_s == 1);
  CHECK(workers.exposed_communication_s == 3);
  CHECK(parts_of({6.9, 6, 0, 1, 0, true}).exposed_communication_s == 0); // drawn computes were short
}

TEST_CASE("what the parts leave of a time is unexplained", "[parts]") {
  CHECK(parts_of_whole(parts_of({10, 6}), 12).unexplained_s == 2);
  CHECK(parts_of_whole(parts_of({10, 6}), 9).unexplained_s == -1);
  CHECK(parts_of_whole(parts_of({10, 6}), 10 * (1 + 1e-15)).unexplained_s == 0); // of rounding
  CHECK(sum_s(parts_of_whole(parts_of_whole(parts_of({10, 6}), 12), 9)) == 9);
}

TEST_CASE("parts add up to the iteration, of sums and servers at random", "[parts][property]") {
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    const RandomScenario random(seed, 8);
    auto setup = random.setup();
    if (seed % 2 == 0) setup.slow_node = {1.2, 0.7};
    check_parts_add_up(setup, random.sample);
  }
}

TEST_CASE("parts add up to the iteration, of every kind of strategy", "[parts]") {
  const TwoBlocks blocks;
  for (const auto name : {StrategyName::none, StrategyName::ring, StrategyName::automatic, StrategyName::ps,
                          StrategyName::ps_async, StrategyName::fsdp, StrategyName::zero_1, StrategyName::zero_2})
    for (const int gpus : {1, 4}) check_parts_add_up(on_gpus(blocks.setup(name, gpus), gpus, 2), blocks.sample);
  for (const int stages : {1, 2}) {
    check_parts_add_up(blocks.on(2, stages, 8), blocks.sample);
    const auto parts = time_step(blocks.on(2, stages, 8), blocks.sample, Fidelity::by_default).parts;
    const auto& [tensor_s, context_s, pipeline_s, data_parallel_s, offload_s] = parts.exposed;
    CHECK(tensor_s + context_s + pipeline_s + data_parallel_s + offload_s ==
          Approx(parts.exposed_communication_s).epsilon(sum_rounding));
  }
}

} // namespace ddlsim
