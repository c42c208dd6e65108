#include "validate/score.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

ScoredPoint point(const std::string& cluster, const std::string& series, double ln_error, char grade = 'A') {
  ScoredPoint made;
  made.cluster = made.group = cluster;
  made.series = series;
  made.split = "T2";
  made.grade = grade;
  made.measured_s = 1;
  made.forecasts["m"] = {std::exp(ln_error), 0, 0};
  return made;
}

std::vector<const ScoredPoint*> all(const std::vector<ScoredPoint>& points) {
  std::vector<const ScoredPoint*> pointers;
  for (const auto& one : points) pointers.push_back(&one);
  return pointers;
}

constexpr int draws = 200;
constexpr std::uint64_t seed = 1;

} // namespace

TEST_CASE("means over points of a series, then series of a cluster, then clusters") {
  const std::vector<ScoredPoint> points{point("big", "a", 0.1), point("big", "a", 0.3), point("big", "b", -0.4),
                                        point("small", "c", 0.01)};
  const auto score = score_points(all(points), "m", draws, seed);
  CHECK(score.mean_error == Approx((0.5 * (0.2 + 0.4) + 0.01) / 2));
  CHECK(score.median_error == Approx(0.2));
  CHECK(score.worst_error == Approx(0.4));
  CHECK(score.points == 4);
  CHECK(score.series == 3);
  CHECK(score.clusters == 2);
  CHECK(score.sites == 2);
  CHECK_FALSE(score.mean_error_range); // two sites say nothing of others
  CHECK(score_points(all(points), "another", draws, seed).points == 0);
}

TEST_CASE("ranges are of resampled sites: clusters of one site come together") {
  std::vector<ScoredPoint> points;
  for (const char* cluster : {"a1", "a2", "b", "c", "d", "e", "f", "g", "h"}) {
    points.push_back(point(cluster, cluster, cluster[0] == 'a' ? 0.5 : 0.1));
    points.back().site = std::string(1, cluster[0]);
    points.back().forecasts["m"].low_s = 0.5;
    points.back().forecasts["m"].high_s = cluster[0] == 'a' ? 0.9 : 2;
  }
  const auto score = score_points(all(points), "m", 2000, seed);
  CHECK(score.sites == 8);
  CHECK(score.mean_error == Approx((2 * 0.5 + 7 * 0.1) / 9));
  REQUIRE(score.mean_error_range);
  REQUIRE(score.coverage_range);
  // Site a is drawn k of 8 times, binomial with p = 1/8: never in 34 %, thrice and more in 6.7 %, four times and more in
  // 1 %. Drawn k times it makes 2k of the 8 + k clusters.
  CHECK(score.mean_error_range->low == Approx(0.1));
  CHECK(score.mean_error_range->high == Approx((6 * 0.5 + 5 * 0.1) / 11));
  CHECK(score.coverage_range->low == Approx(5.0 / 11));
  CHECK(score.coverage_range->high == Approx(1));
  const auto again = score_points(all(points), "m", 2000, seed);
  CHECK(again.mean_error_range->high == score.mean_error_range->high);
  points.resize(4); // without d
  CHECK_FALSE(score_points(all(points), "m", 2000, seed).mean_error_range);
}

TEST_CASE("a refusal counts with the straight line's error, with half at least, and as not held") {
  std::vector<ScoredPoint> points{point("c", "a", 0.1), point("c", "b", 0.1), point("c", "d", 0.1)};
  points[0].forecasts["m"].low_s = 0.5;
  points[0].forecasts["m"].high_s = 2;
  for (const std::size_t refused : {1U, 2U}) {
    points[refused].forecasts.clear();
    points[refused].refusals["m"] = "no such preset";
  }
  points[1].forecasts["straight-line"] = {std::exp(0.7), 0, 0};
  points[2].forecasts["straight-line"] = {std::exp(0.2), 0, 0};
  CHECK(counted_error(points[1], "m") == Approx(0.7));
  CHECK(counted_error(points[2], "m") == Approx(0.5));
  CHECK_FALSE(counted_error(points[0], "straight-line"));
  const auto score = score_points(all(points), "m", draws, seed);
  CHECK(score.points == 3);
  CHECK(score.refused == 2);
  CHECK(score.mean_error == Approx((0.1 + 0.7 + 0.5) / 3));
  CHECK(score.coverage == Approx(1.0 / 3));
  CHECK(score.points_with_interval == 1);
}

TEST_CASE("a new site is the mean of its clusters' series, and an emulated cluster stands beside the mean") {
  std::vector<ScoredPoint> points{point("a1", "a", 0.1), point("a2", "b", 0.3), point("b", "c", 0.6),
                                  point("e", "d", 0.9)};
  points[0].group = points[1].group = "a";
  points[3].emulated = true;
  for (auto& one : points) one.split = "new-T2";
  const auto score = score_split(all(points), "new-T2", "m", draws, seed);
  CHECK(score.overall.clusters == 2);
  CHECK(score.overall.mean_error == Approx((0.2 + 0.6) / 2));
  CHECK(score.by_cluster.at("a").mean_error == Approx(0.2));
  CHECK(score.by_cluster.at("e").mean_error == Approx(0.9));
}

TEST_CASE("too high and too low by the same factor are the same error") {
  CHECK(error_of({2, 0, 0}, 1) == Approx(error_of({0.5, 0, 0}, 1)));
}

TEST_CASE("the interval score pays for width, and twentyfold for what lies outside") {
  const Forecast forecast{1, std::exp(-0.1), std::exp(0.1)};
  CHECK(interval_score(forecast, 1) == Approx(0.2));
  CHECK(interval_score(forecast, std::exp(0.15)) == Approx(0.2 + 20 * 0.05));
  CHECK(interval_score(forecast, std::exp(-0.3)) == Approx(0.2 + 20 * 0.2));
}

TEST_CASE("a baseline's interval comes from the other clusters alone") {
  // Residual ln(measured / predicted) is minus the error given.
  std::vector<ScoredPoint> points{point("a", "a", -0.1), point("a", "a", -0.2), point("b", "b", 0.3),
                                  point("c", "c", 5)};
  points[3].forecasts["m"] = {1, 0.9, 1.1};
  points[3].split = "T2";
  add_residual_intervals(points);
  const auto& at_a = points[0].forecasts.at("m");
  CHECK(at_a.low_s == Approx(at_a.predicted_s * std::exp(-0.3)));
  CHECK(at_a.high_s == Approx(at_a.predicted_s)); // never so that the prediction falls outside
  const auto& at_b = points[2].forecasts.at("m");
  CHECK(at_b.high_s == Approx(at_b.predicted_s * std::exp(0.2)));
  CHECK(points[3].forecasts.at("m").low_s == 0.9); // a method's own interval stays
}

TEST_CASE("one cluster alone gives no interval") {
  std::vector<ScoredPoint> points{point("a", "a", 0.1), point("a", "b", 0.2)};
  add_residual_intervals(points);
  const auto score = score_points(all(points), "m", draws, seed);
  CHECK(score.points == 2);
  CHECK(score.points_with_interval == 0);
}

TEST_CASE("classes and clusters are scored apart") {
  const std::vector<ScoredPoint> points{point("a", "a", 0.1), point("a", "b", 0.3, 'C'), point("b", "c", 0.5, 'B')};
  const auto score = score_split(all(points), "T2", "m", draws, seed);
  CHECK(score.overall.mean_error == Approx(0.5 * (0.2 + 0.5)));
  CHECK(score.classes_a_b.mean_error == Approx(0.5 * (0.1 + 0.5)));
  CHECK(score.by_class.at('C').mean_error == Approx(0.3));
  CHECK(score.by_cluster.at("a").mean_error == Approx(0.2));
  CHECK(score_split(all(points), "T3", "m", draws, seed).overall.points == 0);
}

TEST_CASE("methods are compared on points that both answered") {
  std::vector<ScoredPoint> points{point("a", "a", 0.1), point("b", "b", 0.3), point("b", "b", 0.9)};
  points[0].forecasts["baseline"] = {std::exp(0.2), 0, 0};
  points[1].forecasts["baseline"] = {std::exp(-0.1), 0, 0};
  const auto compared = compare(all(points), "T2", "m", "baseline", draws, seed);
  CHECK(compared.points == 2);
  CHECK(compared.difference == Approx(0.5 * (-0.1 + 0.2)));
  CHECK(compared.range.low == Approx(-0.1));
  CHECK(compared.range.high == Approx(0.2));
}

} // namespace ddlsim
