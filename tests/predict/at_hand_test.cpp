#include "sim/predict/at_hand.hpp"
#include "sim/predict/report.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <sstream>

namespace ddlsim {
namespace {

PredictedPoint point_at_rate(int gpus, double samples_per_s) {
  PredictedPoint point;
  point.gpus = gpus;
  point.nodes = gpus / 4;
  point.samples_per_s = samples_per_s;
  point.samples_per_s_low = 0.9 * samples_per_s;
  point.samples_per_s_high = 1.1 * samples_per_s;
  point.iteration_s = gpus / samples_per_s;
  point.efficiency = 0.8;
  point.parts.compute_s = point.iteration_s;
  return point;
}

StrategyAnswer answer_of(StrategyName name, std::vector<PredictedPoint> points, int available_gpus) {
  StrategyAnswer answer;
  answer.strategy.name = name;
  answer.points = std::move(points);
  answer.at_hand.gpus = gpus_at_hand(answer.points, available_gpus);
  return answer;
}

/// Ring and tree are alike on 8 GPUs, tree is better on 64; halving is slower on 8.
Prediction three_ways() {
  Prediction prediction;
  prediction.available_gpus = 8;
  prediction.growth_gpus = 64;
  prediction.scenario.batch_per_gpu = 1;
  prediction.strategies = {
      answer_of(StrategyName::ring, {point_at_rate(8, 100), point_at_rate(64, 500)}, 8),
      answer_of(StrategyName::tree, {point_at_rate(8, 99.5), point_at_rate(64, 700)}, 8),
      answer_of(StrategyName::halving_doubling, {point_at_rate(8, 80), point_at_rate(64, 900)}, 8)};
  return prediction;
}

} // namespace

TEST_CASE("the GPUs at hand are the largest possible scale that the cluster has, else the smallest", "[at-hand]") {
  auto points = std::vector<PredictedPoint>{point_at_rate(4, 50), point_at_rate(8, 100), point_at_rate(64, 500)};
  CHECK(gpus_at_hand(points, 8) == 8);
  CHECK(gpus_at_hand(points, 32) == 8);
  CHECK(gpus_at_hand(points, 2) == 4);
  points[1].error = "does not fit";
  CHECK(gpus_at_hand(points, 8) == 4);
  CHECK(gpus_at_hand(std::vector<PredictedPoint>{}, 8) == 0);
}

TEST_CASE("ways that nothing tells apart are equally fast, and the one that grows best is shown", "[at-hand]") {
  auto prediction = three_ways();
  compare_at_hand({{0.08, 0.09}, {0.0804, 0.0905}, {0.1, 0.11}}, prediction);
  CHECK(prediction.strategies[0].at_hand.equally_fast);
  CHECK(prediction.strategies[1].at_hand.equally_fast);
  CHECK(prediction.strategies[1].at_hand.chance_slower == 1);
  CHECK_FALSE(prediction.strategies[2].at_hand.equally_fast);
  CHECK(recommended_answer(prediction) == &prediction.strategies[1]);
}

TEST_CASE("a way that does not fit into memory is no match for one that does", "[at-hand]") {
  auto prediction = three_ways();
  prediction.strategies[0].points[0].memory.emplace().fit = MemoryFit::too_large;
  compare_at_hand({{0.08}, {0.0804}, {0.1}}, prediction);
  CHECK_FALSE(prediction.strategies[0].at_hand.equally_fast);
  CHECK(recommended_answer(prediction) == &prediction.strategies[1]);
}

TEST_CASE("the first screen is twenty lines of eighty columns, whatever there is to say", "[at-hand]") {
  auto prediction = three_ways();
  prediction.scenario.model = std::string(40, 'm');
  prediction.scenario.cluster = std::string(40, 'c');
  compare_at_hand({{0.08}, {0.0804}, {0.1}}, prediction);
  for (auto& answer : prediction.strategies)
    answer.measure_next.what = std::string(200, 'w') + " " + std::string(60, 'x');
  std::istringstream lines(to_screen_text(prediction));
  int count = 0;
  for (std::string line; std::getline(lines, line); ++count) CHECK(line.size() <= 80);
  CHECK(count <= 20);
  for (auto& answer : prediction.strategies)
    for (auto& point : answer.points) point.error = "no";
  for (auto& answer : prediction.strategies) answer.at_hand = {};
  CHECK(to_screen_text(prediction).find("None of the scales asked for is possible.") != std::string::npos);
}

} // namespace ddlsim
