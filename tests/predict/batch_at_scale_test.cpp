// A batch of all GPUs, and micro-batches, at each scale.

#include "sim/base/error.hpp"
#include "sim/predict/batch_at_scale.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

Model model_of_tokens() {
  Model model;
  model.name = "small";
  model.sample = "sequence of 1024 tokens";
  return model;
}

Scenario question_of_batch(double global_batch, double micro_batch, std::vector<int> gpus) {
  Scenario scenario;
  scenario.name = "q";
  scenario.global_batch = global_batch;
  scenario.micro_batch = micro_batch;
  scenario.gpus = std::move(gpus);
  return scenario;
}

Strategy strategy_named(StrategyName name) {
  Strategy strategy;
  strategy.name = name;
  return strategy;
}

} // namespace

TEST_CASE("the batch of a GPU is that of all over the GPUs, and micro-batches follow", "[batch]") {
  const auto asked =
      questions_of(question_of_batch(512, 2, {8, 64, 256, 512}), strategy_named(StrategyName::fsdp), model_of_tokens());
  REQUIRE(asked.size() == 4);
  CHECK(asked[0].scenario.batch_per_gpu == 64);
  CHECK(asked[0].strategy.sharded.micro_batches == 32);
  CHECK(asked[1].strategy.sharded.micro_batches == 4);
  CHECK(asked[2].strategy.sharded.micro_batches == 1);
  CHECK(asked[3].error ==
        "a global batch of 512 samples in micro-batches of 2 is no multiple of the 1024 samples of 512 "
        "replicas with a micro-batch of 2 each; the nearest that fit: 1024, which is the least");
}

TEST_CASE("a replica is the GPUs that compute a sample together", "[batch]") {
  auto strategy = strategy_named(StrategyName::model_parallel);
  strategy.parallel.tensor = 4;
  strategy.parallel.pipeline = 2;
  const auto asked = questions_of(question_of_batch(96, 2, {32, 40}), strategy, model_of_tokens());
  REQUIRE(asked.size() == 2);
  CHECK(asked[0].scenario.batch_per_gpu == 3);
  CHECK(asked[0].strategy.parallel.micro_batches == 12);
  CHECK(asked[1].error == "a global batch of 96 samples in micro-batches of 2 is no multiple of the 10 samples of 5 "
                          "replicas with a micro-batch of 2 each; the nearest that fit: 90 and 100");
}

TEST_CASE("interleaved stages take whole rounds of micro-batches", "[batch]") {
  auto strategy = strategy_named(StrategyName::model_parallel);
  strategy.parallel.pipeline = 4;
  strategy.parallel.schedule = PipelineSchedule::interleaved;
  strategy.parallel.virtual_stages = 2;
  CHECK(questions_of(question_of_batch(96, 2, {32}), strategy, model_of_tokens()).front().error ==
        "a global batch of 96 samples in micro-batches of 2 is no multiple of the 64 samples of 8 replicas with 4 "
        "micro-batches of 2 each; the nearest that fit: 64 and 128");
  CHECK(questions_of(question_of_batch(128, 2, {32}), strategy, model_of_tokens())
            .front()
            .strategy.parallel.micro_batches == 8);
}

TEST_CASE("scales of one batch of a GPU are one question", "[batch]") {
  auto scenario = question_of_batch(0, 2, {8, 16, 32});
  scenario.batch_per_gpu = 4;
  const auto asked = questions_of(scenario, strategy_named(StrategyName::zero_1), model_of_tokens());
  REQUIRE(asked.size() == 1);
  CHECK(asked[0].scenario.gpus == scenario.gpus);
  CHECK(asked[0].strategy.sharded.micro_batches == 2);
  scenario.micro_batch = 0;
  CHECK(questions_of(scenario, strategy_named(StrategyName::ring), model_of_tokens()).front().scenario.batch_per_gpu ==
        4);
}

TEST_CASE("tokens of all GPUs are samples, and the nearest are told in tokens", "[batch]") {
  auto scenario = question_of_batch(0, 1, {8});
  scenario.global_batch_tokens = 64 * 1024;
  auto asked = questions_of(scenario, strategy_named(StrategyName::fsdp), model_of_tokens());
  CHECK(asked.front().scenario.batch_per_gpu == 8);
  scenario.global_batch_tokens = 65'000;
  asked = questions_of(scenario, strategy_named(StrategyName::fsdp), model_of_tokens());
  CHECK(asked.front().error.ends_with("the nearest that fit: 57344 and 65536"));
  auto images = model_of_tokens();
  images.sample = "image 3x224x224";
  CHECK_THROWS_AS(questions_of(scenario, strategy_named(StrategyName::fsdp), images), UserError);
}

TEST_CASE("a searched layout gets the batch, and its own rules", "[batch]") {
  auto strategy = strategy_named(StrategyName::model_parallel);
  strategy.parallel.tensor = ModelParallelOptions::best;
  const auto asked = questions_of(question_of_batch(100, 0, {8}), strategy, model_of_tokens());
  CHECK(asked.front().error.empty());
  CHECK(asked.front().scenario.batch_per_gpu == 12.5);
}

TEST_CASE("one scale of a question has every strategy's micro-batches", "[batch]") {
  auto scenario = question_of_batch(64, 2, {8});
  scenario.strategies = {strategy_named(StrategyName::fsdp), strategy_named(StrategyName::zero_1)};
  const auto at = scenario_at(scenario, model_of_tokens(), 8);
  CHECK(at.batch_per_gpu == 8);
  for (const auto& strategy : at.strategies) CHECK(strategy.sharded.micro_batches == 4);
  CHECK_FALSE(batch_follows_scale(at));
  scenario.micro_batch = 3;
  CHECK_THROWS_WITH(scenario_at(scenario, model_of_tokens(), 8), Catch::Contains("q: /micro_batch: at 8 GPUs, "));
}

} // namespace ddlsim
