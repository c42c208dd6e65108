#include "tests/validate/records.hpp"
#include "validate/ranking.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

/// Ring and parameter server that cross between 16 and 32 GPUs.
std::vector<Series> crossing() {
  const auto ring = curve_file("c", "f", {1, 1, 1, 1.0, 1.2, 1.9});
  auto ps = curve_file("c", "f", {1, 1, 1, 1.1, 1.4, 1.5});
  for (auto& record : ps.records) {
    auto& one = std::get<StepRecord>(record);
    one.strategy.name = StrategyName::ps;
    one.head.series = "g";
  }
  auto both = ring;
  both.records.insert(both.records.end(), ps.records.begin(), ps.records.end());
  return group_series({both});
}

ScoredPoint stated(const Series& series, double predicted_s) {
  ScoredPoint point;
  point.series = series.id;
  point.split = "T3";
  point.gpus = 32;
  point.forecasts["m"] = {predicted_s, 0, 0};
  return point;
}

std::vector<Split> tier_three(const std::vector<Series>& series) {
  Split split{"T3", "", {}, {}};
  for (std::size_t i = 0; i < series.size(); ++i) split.parts.push_back({i, {0, 1, 2, 3, 4}, {5}});
  return {split};
}

} // namespace

TEST_CASE("a pair is judged at the largest scale both were measured at") {
  const auto series = crossing();
  const auto pairs = ranked_pairs(series);
  REQUIRE(pairs.size() == 1);
  CHECK(pairs[0].gpus == 32);
  CHECK(pairs[0].ln_ratio == Approx(std::log(1.9 / 1.5)));
}

TEST_CASE("times within two per cent, other models and other files are no pairs") {
  auto series = crossing();
  SECTION("close") {
    series[1].points.back().iteration_s = 1.9 * 1.019;
  }
  SECTION("model") {
    series[1].model = "vgg16";
  }
  SECTION("file") {
    series[1].file = "other";
  }
  SECTION("same schedule") {
    series[1].strategy = series[0].strategy;
  }
  SECTION("no shared scale") {
    series[1].points.clear();
  }
  CHECK(ranked_pairs(series).empty());
}

TEST_CASE("right, wrong and tied orders, against persistence that misses a crossing") {
  const auto series = crossing();
  const auto pairs = ranked_pairs(series);
  const auto [first, right] = GENERATE(table<double, double>({{2.0, 1.0}, {1.0, 0.0}, {1.5, 0.5}}));
  const auto score =
      score_ranking(pairs, series, tier_three(series), {stated(series[0], first), stated(series[1], 1.5)}, "T3", "m");
  CHECK(score.pairs == 1);
  CHECK(score.right == right);
  CHECK(score.persistence == 0);
}

TEST_CASE("a pair that the method did not answer is not counted") {
  const auto series = crossing();
  const auto score = score_ranking(ranked_pairs(series), series, tier_three(series), {stated(series[0], 1)}, "T3", "m");
  CHECK(score.pairs == 0);
}

} // namespace ddlsim
