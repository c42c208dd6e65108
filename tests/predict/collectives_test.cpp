#include "sim/base/error.hpp"
#include "sim/predict/collectives.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

Curve one_sample_curve(const SmallCluster& small) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  curve.samples.values.assign(20, small.sample);
  curve.samples.z_scores.assign(20, std::vector<double>(parameter_fields().size(), 0.0));
  return curve;
}

const Scenario& shipped_scenario() {
  static const Scenario scenario = read_scenario(DDLSIM_SOURCE_DIR "/scenarios/iris-resnet50.json");
  return scenario;
}

} // namespace

TEST_CASE("an all-reduce alone takes its launch, 2(n-1) hops, and 2(n-1)/n of its bytes over the NIC") {
  SmallCluster small;
  small.sample.operation_cost_s = 5e-4;
  const auto point = predict_collective(one_sample_curve(small), 8, 1e9);
  CHECK(point.time.s == Approx(5e-4 + 14 * 1e-3 + 14.0 / 8 * 1e9 / 1e9));
  CHECK(point.bus_Bps == Approx(14.0 / 8 * 1e9 / point.time.s));
  CHECK(point.algorithm == "ring");
  CHECK(point.protocol.empty());
  CHECK(point.nodes == 8);
}

TEST_CASE("with one sample the interval is what no parameter explains and the noise of a measurement") {
  const SmallCluster small;
  auto curve = one_sample_curve(small);
  curve.calibration.measurement_noise = 0.05;
  const auto point = predict_collective(curve, 8, 1e6);
  constexpr double tail_z = 1.6448536269514722; // 95 % of a standard normal lies below
  const double half_width = tail_z * std::hypot(ModelConstants{}.host_all_reduce_noise, 0.05);
  CHECK(std::log(point.time.s_high / point.time.s) == Approx(half_width).margin(1e-5));
  CHECK(std::log(point.time.s / point.time.s_low) == Approx(half_width).margin(1e-5));
  CHECK(point.bus_Bps_low == Approx(14.0 / 8 * 1e6 / point.time.s_high));
}

TEST_CASE("a slow node's NIC slows the whole ring") {
  const SmallCluster small;
  auto curve = one_sample_curve(small);
  const double healthy_s = predict_collective(curve, 8, 1e9).time.s;
  curve.setup.slow_node.network_factor = 0.5;
  const double hops_s = 14e-3; // some of them pass while others wait for the slow node
  CHECK(predict_collective(curve, 8, 1e9).time.s == Approx(2 * (healthy_s - hops_s) + hops_s).margin(hops_s));
}

TEST_CASE("a shipped scenario: more bytes never take less time with rings, intervals hold the number, JSON has all") {
  auto scenario = shipped_scenario();
  scenario.gpus = {1, 8, 64};
  scenario.strategies.resize(1);
  scenario.strategies[0].name = StrategyName::ring;
  const auto prediction = predict_collectives(scenario, usual_collective_sizes(), ddlsim_test::shipped_data());
  REQUIRE(prediction.answers.size() == 1);
  const auto& points = prediction.answers[0].points;
  REQUIRE(points.size() == 2 * usual_collective_sizes().size()); // one GPU has nobody to sum with
  for (const auto& point : points) {
    CHECK(point.time.s_low < point.time.s);
    CHECK(point.time.s < point.time.s_high);
  }
  const auto& largest = points.back();
  CHECK(largest.size_bytes == Approx(1 << 30));
  CHECK(largest.bus_Bps < 12.5e9); // iris has one NIC of 100 Gbit/s a node
  CHECK(largest.bus_Bps > 6e9);
  const auto json = nlohmann::json::parse(to_json_text(prediction));
  CHECK(json["answers"][0]["points"].size() == points.size());
  CHECK(json["answers"][0]["points"].back()["bus_Bps"].get<double>() == Approx(largest.bus_Bps));
  CHECK(to_terminal_text(prediction).find("64 GPUs on 16 nodes: ") != std::string::npos);
  CHECK(to_csv_text(prediction).find("time_s_low") != std::string::npos);
}

TEST_CASE("servers alone, and one GPU alone, have no all-reduce") {
  const DataFolder data = ddlsim_test::shipped_data();
  auto scenario = shipped_scenario();
  scenario.gpus = {1};
  CHECK_THROWS_WITH(predict_collectives(scenario, {1e6}, data), Catch::Contains("nothing to all-reduce"));
  scenario.gpus = {8};
  for (auto& strategy : scenario.strategies) strategy.name = StrategyName::ps;
  CHECK_THROWS_WITH(predict_collectives(scenario, {1e6}, data), Catch::Contains("only parameter servers"));
}

} // namespace ddlsim
