// What a plan's request says of the training, as a scenario does.

#include "plan/plan.hpp"
#include "sim/predict/predict.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

TEST_CASE("optimizer and micro-batch and what is trained are those of predict", "[plan]") {
  const auto data = ddlsim_test::shipped_data();
  Scenario scenario;
  scenario.name = "p3";
  scenario.model = "bert_large_seq512";
  scenario.global_batch = 64;
  scenario.micro_batch = 2;
  scenario.optimizer = Optimizer::sgd;
  scenario.train.freeze = {"block0"};
  scenario.cluster = "ec2-p3.16xlarge";
  scenario.preset = "horovod";
  scenario.strategies = {Strategy{StrategyName::model_parallel, {}}};
  scenario.strategies[0].parallel.pipeline = 2;
  scenario.gpus = {8};
  scenario.samples = 60;
  const auto stated = predict(scenario, data, {}).strategies.front().points.front();
  PlanCandidate candidate;
  candidate.name = candidate.cluster = scenario.cluster;
  candidate.preset = scenario.preset;
  candidate.strategies = scenario.strategies;
  candidate.gpus = scenario.gpus;
  PlanRequest request;
  request.name = "test";
  request.workload.model = scenario.model;
  request.workload.samples = 1e6;
  request.workload.epochs = 10;
  request.workload.global_batch = scenario.global_batch;
  request.workload.micro_batch = scenario.micro_batch;
  request.workload.optimizer = scenario.optimizer;
  request.workload.train = scenario.train;
  request.candidates = {candidate};
  request.samples = scenario.samples;
  const auto plan = make_plan(request, data);
  const auto& option = plan.options.front();
  CHECK(option.strategy.parallel.micro_batches == 8); // four replicas with 16 samples each
  CHECK(option.time_s.value == Approx(1e7 / 64 * stated.iteration_s));
}

} // namespace ddlsim
