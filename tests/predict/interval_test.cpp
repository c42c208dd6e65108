#include "sim/base/statistics.hpp"
#include "sim/predict/interval.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

using namespace ddlsim;

namespace {

/// Samples that are all alike: what is left of the interval is the residual and the measurement's noise.
Curve certain_curve(const SmallCluster& small, double spread, double noise) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  curve.samples.values.assign(20, small.sample);
  curve.samples.z_scores.assign(20, std::vector<double>(parameter_fields().size(), 0.0));
  curve.calibration.residual_process.spread = spread;
  curve.calibration.residual_process.growth = 0;
  curve.calibration.measurement_noise = noise;
  return curve;
}

double half_width(const PredictedPoint& point) {
  return 0.5 * std::log(point.iteration_s_high / point.iteration_s_low);
}

constexpr double tail_z = 1.6448536269514722; ///< 95 % of a standard normal lies below

} // namespace

TEST_CASE("an interval holds what no parameter explains and the noise of the measurement that will be compared") {
  const SmallCluster small;
  for (const double spread : {0.0, 0.03}) {
    for (const double noise : {0.0, 0.04}) {
      const auto point = predict_point(certain_curve(small, spread, noise), 4, Fidelity::formula).point;
      CHECK(half_width(point) == Approx(tail_z * std::hypot(spread, noise)).margin(1e-6));
      CHECK(std::sqrt(point.iteration_s_low * point.iteration_s_high) == Approx(point.iteration_s));
    }
  }
}

TEST_CASE("what other series leave does not narrow the doubt across nodes below the least, however large it is") {
  const SmallCluster small;
  const double least = 0.07;
  for (const double spread : {0.01, 0.05, 0.07, 0.2}) {
    auto curve = certain_curve(small, spread, 0);
    curve.calibration.own = {{{4, 4}, 0.02, 0}}; // of another kind of strategy: known to the bit, at this very scale
    CHECK(model_error_at(curve, 4).spread < 1e-6);
    curve.calibration.least_across_nodes = least;
    CHECK(model_error_at(curve, 4).spread == Approx(least));
    CHECK(model_error_at(curve, 4).mean == Approx(0.02));
    CHECK(model_error_at(curve, 16).spread >= least);
  }
}

TEST_CASE("one GPU is compared with itself: its efficiency is 1 without a doubt, its time as noisy as a measurement") {
  const SmallCluster small;
  const auto point = predict_point(certain_curve(small, 0.03, 0.02), 1, Fidelity::formula).point;
  CHECK(point.efficiency == 1);
  CHECK(point.efficiency_low == 1);
  CHECK(point.efficiency_high == 1);
  CHECK(half_width(point) == Approx(tail_z * 0.02).margin(1e-6));
}

TEST_CASE("the doubt grows with every doubling beyond what was measured, and not before") {
  const SmallCluster small;
  auto curve = certain_curve(small, 0.03, 0.01);
  curve.calibration.residual_process.growth = 0.02;
  curve.calibration.largest_gpus = 8;
  const auto width_at = [&](int gpus) { return half_width(predict_point(curve, gpus, Fidelity::formula).point); };
  CHECK(width_at(4) == Approx(width_at(8)).margin(1e-6));
  CHECK(width_at(8) == Approx(tail_z * std::hypot(0.03, 0.01)).margin(1e-6));
  CHECK(width_at(32) == Approx(tail_z * std::sqrt(0.03 * 0.03 + 0.01 * 0.01 + 2 * 0.02 * 0.02)).margin(1e-6));
}

TEST_CASE("what waits for input is not faster than its input, whatever the doubt") {
  const SmallCluster small;
  auto curve = certain_curve(small, 0.1, 0.02);
  const auto free = predict_point(curve, 4, Fidelity::formula).point;
  curve.setup.input.loader_samples_per_s = curve.setup.batch_per_gpu / (1.05 * free.iteration_s);
  const auto waiting = predict_point(curve, 4, Fidelity::formula).point;
  CHECK(waiting.iteration_s == Approx(1.05 * free.iteration_s));
  CHECK(waiting.iteration_s_low == Approx(waiting.iteration_s));
  CHECK(waiting.iteration_s_high == Approx(free.iteration_s_high));
}
