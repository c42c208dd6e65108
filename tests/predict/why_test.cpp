#include "sim/predict/why.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr int grid = 11; ///< samples on each axis

std::size_t place_of_field(double Parameters::*field) {
  std::size_t k = 0;
  while (parameter_fields()[k].value != field) ++k;
  return k;
}

/// Samples on a grid of two parameters' z-scores from -1 to 1, so that the two do not go together at all.
Curve curve_on_grid(const SmallCluster& small, double Parameters::*first, double Parameters::*second) {
  Curve curve{small.setup(StrategyName::ring, 1), small.sample, {}, 1, 64, EvidenceLabel::calibrated};
  for (int i = 0; i < grid * grid; ++i) {
    curve.samples.values.push_back(small.sample);
    curve.samples.z_scores.emplace_back(parameter_fields().size(), 0.0);
    curve.samples.z_scores.back()[place_of_field(first)] = (i % grid - 5) / 5.0;
    curve.samples.z_scores.back()[place_of_field(second)] = (i / grid - 5) / 5.0;
  }
  return curve;
}

/// ln time = a z_first + b z_second.
std::vector<double> planted_times(const Curve& curve, double Parameters::*first, double Parameters::*second, double a,
                                  double b) {
  std::vector<double> times_s;
  for (const auto& z_scores : curve.samples.z_scores)
    times_s.push_back(std::exp(a * z_scores[place_of_field(first)] + b * z_scores[place_of_field(second)]));
  return times_s;
}

constexpr auto nic = &Parameters::nic_efficiency;
constexpr auto tensor = &Parameters::tensor_cost_s;

PointAndSamples answer_at(const Curve& curve, int gpus, std::vector<double> times_s) {
  auto answer = predict_point(curve, gpus, Fidelity::formula);
  answer.sample_times_s = std::move(times_s);
  return answer;
}

const OneGpuRate stated{33.3, EvidenceLabel::calibrated, "one GPU: 33.3 samples/s, as the test states"};

} // namespace

TEST_CASE("where one parameter makes all of the interval it has all of the variance", "[why]") {
  const SmallCluster small;
  auto curve = curve_on_grid(small, nic, tensor);
  curve.calibration.measurement_noise = 0;
  const auto answer = answer_at(curve, 8, planted_times(curve, nic, tensor, -0.3, 0));
  const auto shares = interval_shares(curve, answer.sample_times_s);
  REQUIRE_FALSE(shares.empty());
  CHECK(shares[0].parameter == "nic_efficiency");
  CHECK(shares[0].correlation == Approx(1));
  CHECK(shares[0].share == Approx(1).epsilon(1e-5)); // the regression has a ridge of a millionth
  for (std::size_t i = 1; i < shares.size(); ++i) CHECK(shares[i].share < 1e-12); // rounding
  const auto why = why_sentences(curve, stated, answer);
  REQUIRE(why.size() == 5);
  CHECK_THAT(why[4], Catch::Contains("one parameter, here with what narrows it: network rate reached (nic_efficiency), "
                                     "100 %: an all-reduce sweep"));
}

TEST_CASE("variance is shared as planted, and the noise of a measurement takes its part", "[why]") {
  const SmallCluster small;
  auto curve = curve_on_grid(small, nic, tensor);
  const auto times_s = planted_times(curve, nic, tensor, -0.1, 0.2); // variances 1 : 4
  const auto shares = interval_shares(curve, times_s);
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].parameter == "tensor_cost");
  CHECK(shares[0].share == Approx(0.8).epsilon(1e-5));
  CHECK(shares[1].share == Approx(0.2).epsilon(1e-5));
  const double of_z = 0.4; // variance of eleven even steps from -1 to 1, (n + 1) / (n - 1) / 3
  curve.calibration.measurement_noise = std::sqrt((0.01 + 0.04) * of_z * 121 / 120);
  const auto why = why_sentences(curve, stated, answer_at(curve, 8, times_s));
  for (const auto* words : {"(tensor_cost), 40 %", "(nic_efficiency), 10 %"})
    CHECK_THAT(why[4], Catch::Contains(words));
}

TEST_CASE("parameters that go together share what they explain", "[why]") {
  const SmallCluster small;
  auto curve = curve_on_grid(small, nic, tensor);
  for (auto& z_scores : curve.samples.z_scores) z_scores[place_of_field(tensor)] = z_scores[place_of_field(nic)];
  const auto shares = interval_shares(curve, planted_times(curve, nic, tensor, 0.1, 0.1));
  REQUIRE(shares.size() == 2);
  CHECK(shares[0].share + shares[1].share == Approx(1).epsilon(1e-5));
  CHECK(shares[0].correlation == Approx(1)); // either of the two alone tells the time
}

TEST_CASE("what measured parameters and scales there are is said", "[why]") {
  const SmallCluster small;
  auto curve = curve_on_grid(small, nic, tensor);
  const auto times_s = planted_times(curve, nic, tensor, -0.3, 0);
  const auto unknown = why_sentences(curve, stated, answer_at(curve, 8, times_s));
  CHECK_THAT(unknown[0], Catch::Contains("300 ms of compute an iteration, was measured here") &&
                             Catch::Contains("as the test states"));
  CHECK_THAT(unknown[1], Catch::Contains("no measurement on test narrowed one"));
  CHECK_THAT(unknown[2], Catch::Contains("No run of this kind over nccl-tcp was measured on test"));
  curve.calibration.any = true;
  curve.calibration.identified.assign(parameter_fields().size(), false);
  curve.calibration.borrowed = curve.calibration.identified;
  curve.calibration.points.assign(parameter_fields().size(), 0);
  curve.calibration.identified[place_of_field(nic)] = true;
  curve.calibration.points[place_of_field(nic)] = 12;
  curve.calibration.own = {{{4, 4}, 0.1, 0.01}};
  curve.calibration.largest_nodes = curve.calibration.largest_gpus = 4;
  const auto beyond = why_sentences(curve, stated, answer_at(curve, 8, times_s));
  CHECK_THAT(beyond[1], Catch::Contains("measurements narrowed network rate reached (12 points); the other"));
  CHECK_THAT(beyond[2], Catch::Contains("on up to 4 GPUs; this answer is for 2 times as many"));
  CHECK_THAT(beyond[3], Catch::Contains("run by formulas, moved by +") && Catch::Contains("90 % of 121 draws"));
  CHECK_THAT(why_sentences(curve, stated, answer_at(curve, 4, times_s))[2], Catch::StartsWith("This very scale"));
  CHECK_THAT(why_sentences(curve, stated, answer_at(curve, 1, times_s))[1], Catch::StartsWith("One GPU alone"));
}

} // namespace ddlsim
