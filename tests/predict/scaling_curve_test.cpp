#include "sim/predict/scaling_curve.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

/// Eleven samples that differ in one parameter only, evenly spread.
Curve curve_over(const SmallCluster& small, double Parameters::*field, double low, double high) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  std::size_t index = 0;
  while (parameter_fields()[index].value != field) ++index;
  for (int i = 0; i <= 10; ++i) {
    auto sample = small.sample;
    sample.*field = low + (high - low) * i / 10;
    curve.samples.values.push_back(sample);
    curve.samples.z_scores.emplace_back(parameter_fields().size(), 0.0);
    curve.samples.z_scores.back()[index] = (i - 5) / 5.0;
  }
  return curve;
}

} // namespace

TEST_CASE("a point holds its interval, in time and in rate", "[curve]") {
  const SmallCluster small;
  const auto curve = curve_over(small, &Parameters::nic_efficiency, 0.5, 1.5);
  const auto point = predict_point(curve, 4, Fidelity::full).point;
  CHECK(point.iteration_s_low < point.iteration_s);
  CHECK(point.iteration_s < point.iteration_s_high);
  CHECK(point.samples_per_s == Approx(40 / point.iteration_s));
  CHECK(point.samples_per_s_low == Approx(40 / point.iteration_s_high));
  CHECK(point.efficiency == Approx(0.3 / point.iteration_s));
  CHECK(point.evidence == EvidenceLabel::assumed);
  CHECK(point.fidelity == "full");
  CHECK(predict_point(curve, 1, Fidelity::full).point.evidence == EvidenceLabel::calibrated);
}

TEST_CASE("beyond growth is a row with its error", "[curve]") {
  const SmallCluster small;
  const auto point =
      predict_point(curve_over(small, &Parameters::nic_efficiency, 0.5, 1.5), 65, Fidelity::closed_form).point;
  CHECK_FALSE(point.error.empty());
  CHECK(point.iteration_s == 0);
}

TEST_CASE("efficiency of a sample compares with that sample's own GPU", "[curve]") {
  const SmallCluster small;
  const auto curve = curve_over(small, &Parameters::compute_factor, 0.8, 1.2);
  for (const auto& sample : curve.samples.values) {
    const double compute_s = 0.3 * sample.compute_factor;
    CHECK(efficiency(curve, sample, 2) == Approx(compute_s / (compute_s + 2 * (1e-3 + 0.05))));
  }
}

TEST_CASE("the knee is the last whole node at or above the bound", "[knee]") {
  const SmallCluster small;
  const auto curve = curve_over(small, &Parameters::nic_efficiency, 0.9, 1.1);
  // efficiency(n) = 0.3 / (0.3 + 2(n-1)(1e-3 + 0.1/n)): falls with n, so that a linear search is the reference.
  for (const double bound : {0.9, 0.7, 0.6, 0.58}) {
    int expected = 1;
    for (int n = 2; n <= 64; ++n)
      if (efficiency(curve, curve.median, n) >= bound) expected = n;
    const auto largest_scale = find_largest_efficient_scale(curve, bound);
    CHECK(largest_scale.gpus == expected);
    CHECK(largest_scale.gpus_low <= largest_scale.gpus);
    CHECK(largest_scale.gpus <= largest_scale.gpus_high);
  }
  CHECK(find_largest_efficient_scale(curve, 0.01).beyond_growth);
}

TEST_CASE("over shared memory a curve ends with its node", "[curve][knee]") {
  const SmallCluster small;
  auto curve = curve_over(small, &Parameters::intra_efficiency, 0.9, 1.1);
  curve.setup.transport = {"shm", ""};
  curve.gpus_per_full_node = 4;
  CHECK(predict_point(curve, 4, Fidelity::closed_form).point.error.empty());
  CHECK_THAT(predict_point(curve, 8, Fidelity::closed_form).point.error, Catch::Contains("shm stays inside one"));
  CHECK(find_largest_efficient_scale(curve, 0.01).gpus == 4);
  CHECK(find_largest_efficient_scale(curve, 0.01).beyond_growth);
  CHECK_FALSE(find_largest_efficient_scale(curve, 0.999).beyond_growth); // one GPU of four is no whole node
}

TEST_CASE("the parameter that alone varies is the one to measure, and knowing it leaves next to nothing",
          "[measure-next]") {
  const SmallCluster small;
  const auto curve = curve_over(small, &Parameters::net_latency_s, 1e-3, 2e-3);
  const auto next = find_measure_next(curve, 8, predict_point(curve, 8, Fidelity::closed_form).sample_times_s);
  CHECK(next.parameter == "net_latency");
  CHECK(next.interval_now > 0);
  CHECK(next.interval_then < 0.1 * next.interval_now); // ln t is nearly linear in the latency over this range
}

} // namespace ddlsim
