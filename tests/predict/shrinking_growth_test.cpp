#include "sim/predict/shrinking_growth.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// A ring whose iteration is 0.3 + 2 (n - 1) (1e-3 + 0.1 / n) seconds, measured on four nodes.
Curve measured_on_four(const SmallCluster& small) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  for (int i = 0; i < 3; ++i) {
    curve.samples.values.push_back(small.sample);
    curve.samples.z_scores.emplace_back(parameter_fields().size(), 0.0);
  }
  curve.calibration.own = {{{4, 4}, 0, 0.01}};
  curve.calibration.line_share = 0.5;
  curve.calibration.line_fade = 1.5;
  return curve;
}

double ring_s(int nodes) {
  return 0.3 + 2 * (nodes - 1) * (1e-3 + 0.1 / nodes);
}

double share_at(int nodes) {
  return 0.5 * std::exp(-std::log(nodes / 4.0) / 1.5);
}

} // namespace

TEST_CASE("beyond what was measured a prediction moves towards the time that was measured last", "[line]") {
  const SmallCluster small;
  const auto curve = measured_on_four(small);
  for (const int nodes : {5, 8, 16, 64}) {
    const double shift = share_at(nodes) * std::log(ring_s(4) / ring_s(nodes));
    CHECK(ln_shift_to_line(curve, nodes) == Approx(shift));
    const auto point = predict_point(curve, nodes, Fidelity::formula).point;
    CHECK(point.iteration_s == Approx(ring_s(nodes) * std::exp(shift)));
    CHECK(point.parts.unexplained_s == Approx(ring_s(nodes) * (std::exp(shift) - 1)));
    CHECK(point.iteration_s_low <= point.iteration_s);
    CHECK(point.iteration_s <= point.iteration_s_high);
  }
}

TEST_CASE("the straight line has no share up to what was measured", "[line]") {
  const SmallCluster small;
  const auto curve = measured_on_four(small);
  for (const int nodes : {1, 2, 4}) CHECK(ln_shift_to_line(curve, nodes) == 0);
}

TEST_CASE("where nothing was measured across nodes there is no line", "[line]") {
  const SmallCluster small;
  auto curve = measured_on_four(small);
  curve.calibration.own = {{{4, 1}, 0.1, 0.01}};
  CHECK(ln_shift_to_line(curve, 8) == 0);
  curve.calibration.own.clear();
  CHECK(ln_shift_to_line(curve, 8) == 0);
}

TEST_CASE("the share fades with the scale and the order of scales stays", "[line]") {
  const SmallCluster small;
  const auto curve = measured_on_four(small);
  double before_s = ring_s(4);
  for (int nodes = 5; nodes <= 64; ++nodes) {
    const double here_s = ring_s(nodes) * std::exp(ln_shift_to_line(curve, nodes));
    CHECK(here_s >= before_s);
    before_s = here_s;
  }
}

TEST_CASE("the line promises no less than forward and communication take", "[line]") {
  const SmallCluster small;
  auto curve = measured_on_four(small);
  curve.setup.one_gpu_s = 0.003; // nearly all is communication
  const auto communication_s = [](int nodes) { return ring_s(nodes) - 0.3; };
  for (const int nodes : {8, 64}) {
    const double least_s = 0.001 + communication_s(nodes);
    CHECK(least_s > 0.003 + communication_s(4));
    CHECK(ln_shift_to_line(curve, nodes) ==
          Approx(share_at(nodes) * std::log(least_s / (0.003 + communication_s(nodes)))));
  }
}

TEST_CASE("a server whose link is full takes twice as long for twice the workers, line or not", "[line]") {
  const SmallCluster small;
  auto curve = measured_on_four(small);
  curve.setup.strategy.name = StrategyName::ps;
  curve.setup.strategy.servers = {ServerCount::Rule::count, 1};
  curve.setup.strategy.placement = Placement::dedicated;
  for (const int nodes : {8, 32}) {
    const double full_s = 2 * nodes * 0.1; // every worker pushes and pulls 100 MB over a link of 1 GB/s
    const double number_s = predict_point(curve, nodes, Fidelity::formula).point.iteration_s;
    CHECK(number_s > full_s);
    CHECK(number_s < full_s + 0.303);
  }
}

} // namespace ddlsim
