#include "tests/validate/records.hpp"
#include "validate/methods/baselines.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
using namespace test;

namespace {

double ask(const Method& method, const Series& known, int gpus) {
  const auto forecast =
      method.forecast({known, gpus, gpus, 1, known.points.empty() ? Strategy{} : known.points[0].strategy});
  REQUIRE(forecast);
  return forecast->predicted_s;
}

TextbookFacts facts(double rate_Bps) {
  return {{{"m", 100e6}}, {{{"c", "t"}, rate_Bps}}};
}

} // namespace

TEST_CASE("baselines on a curve worked out by hand") {
  // Throughput in GPUs a second: 1, 1.6, 2.4 at 1, 2, 4 GPUs.
  const auto known = known_series({{1, 1.0}, {2, 1.25}, {4, 4 / 2.4}});
  CHECK(ask(*make_straight_line(), known, 16) == Approx(4 / 2.4));
  CHECK(ask(*make_linear(), known, 16) == 1.0);
  CHECK(ask(*make_throughput_line(), known, 16) == Approx(16 / (2.4 + 0.4 * 12)));
}

TEST_CASE("a falling throughput line stops at a tenth of the last rate") {
  const auto known = known_series({{1, 1.0}, {2, 4.0}}); // 1, then 0.5 GPUs a second
  CHECK(ask(*make_throughput_line(), known, 64) == Approx(64 / 0.05));
}

TEST_CASE("amdahl and usl give back the law that made the points") {
  const double a = 0.05, b = 0.002;
  const auto time = [&](int n, double crosstalk) { return 0.4 * (1 + a * (n - 1) + crosstalk * n * (n - 1)); };
  const auto plain = known_series({{1, time(1, 0)}, {2, time(2, 0)}, {8, time(8, 0)}});
  CHECK(ask(*make_amdahl(), plain, 64) == Approx(time(64, 0)));
  CHECK(ask(*make_usl(), plain, 64) == Approx(time(64, 0)));
  const auto crossed = known_series({{1, time(1, b)}, {2, time(2, b)}, {8, time(8, b)}});
  CHECK(ask(*make_usl(), crossed, 64) == Approx(time(64, b)));
}

TEST_CASE("a law has no more coefficients than the points allow, and none is negative") {
  const auto one = known_series({{1, 0.4}});
  const auto two = known_series({{1, 0.4}, {2, 0.42}});
  CHECK(ask(*make_amdahl(), one, 8) == 0.4);
  CHECK(ask(*make_usl(), one, 8) == 0.4);
  CHECK(ask(*make_usl(), two, 8) == ask(*make_amdahl(), two, 8));
  CHECK(ask(*make_usl(), known_series({{1, 0.4}, {2, 0.39}, {4, 0.38}}), 8) == 0.4);
}

TEST_CASE("without a one-GPU point the laws start at the smallest scale") {
  const auto known = known_series({{8, 1.0}, {16, 1.2}});
  CHECK(ask(*make_linear(), known, 32) == 1.0);
  CHECK(ask(*make_amdahl(), known, 32) == Approx(1.0 + 0.2 * 24 / 8));
}

TEST_CASE("no method answers from nothing") {
  const Series nothing;
  for (const auto& method : make_baselines({})) {
    method->prepare({"T1", "", {}, {nothing}});
    CHECK_FALSE(method->forecast({nothing, 8, 8, 1, {}}));
  }
}

TEST_CASE("textbook finds the bandwidth that made the points") {
  const double rate = 1e9, bytes = 100e6;
  const auto time = [&](int n) { return 0.1 + 2.0 * (n - 1) / n * bytes / rate; };
  const auto known = known_series({{1, time(1)}, {2, time(2)}, {4, time(4)}});
  const auto method = make_textbook(facts(5 * rate)); // the line rate is not needed once points tell
  method->prepare({"T2", "", {}, {known}});
  CHECK(ask(*method, known, 64) == Approx(time(64)));
}

TEST_CASE("textbook takes the line rate while no multi-node point is visible, and is silent without one") {
  const auto known = known_series({{1, 0.1}});
  auto method = make_textbook(facts(2e9));
  method->prepare({"T1", "", {}, {known}});
  CHECK(ask(*method, known, 4) == Approx(0.1 + 1.5 * 100e6 / 2e9));
  method = make_textbook({{{"m", 100e6}}, {}});
  method->prepare({"T1", "", {}, {known}});
  CHECK_FALSE(method->forecast({known, 4, 4, 1, {}}));
}

TEST_CASE("textbook pools models of one cluster and transport by their bytes") {
  const auto taught = known_series({{1, 0.1}, {2, 0.1 + 0.1}}); // 100 MB, 2 (n - 1) / n = 1: 1 GB/s
  auto known = known_series({{1, 0.5}});
  known.model = "twice";
  const auto method = make_textbook({{{"m", 100e6}, {"twice", 200e6}}, {}});
  method->prepare({"leave-one-model-out", "twice", {}, {taught, known}});
  CHECK(ask(*method, known, 2) == Approx(0.5 + 0.2));
}

TEST_CASE("textbook sends parameter-server bytes through the busiest server") {
  auto known = known_series({{1, 0.1}});
  known.points[0].strategy.name = StrategyName::ps;
  const auto method = make_textbook(facts(1e9));
  method->prepare({"T1", "", {}, {known}});
  Question question{known, 8, 8, 1, known.points[0].strategy};
  question.strategy.servers = {ServerCount::Rule::count, 2};
  CHECK(method->forecast(question)->predicted_s == Approx(0.1 + 2 * 4 * 0.1)); // four workers a server, push and pull
  question.strategy.servers = {ServerCount::Rule::equal_workers, 0};
  CHECK(method->forecast(question)->predicted_s == Approx(0.1 + 2 * 0.1));
}

TEST_CASE("what was learnt in one split is forgotten in the next") {
  const auto known = known_series({{1, 0.1}, {2, 0.2}});
  const auto alone = known_series({{1, 0.1}});
  const auto method = make_textbook({{{"m", 100e6}}, {}});
  method->prepare({"T2", "", {}, {known}});
  REQUIRE(method->forecast({alone, 2, 2, 1, {}}));
  method->prepare({"T1", "", {}, {alone}});
  CHECK_FALSE(method->forecast({alone, 2, 2, 1, {}}));
}

TEST_CASE("two coefficients, never negative") {
  const auto exact = solve_non_negative({{1, 0, 2, 1}, {0, 1, 3, 1}, {1, 1, 5, 1}});
  CHECK(exact.first == Approx(2));
  CHECK(exact.second == Approx(3));
  const auto edge = solve_non_negative({{1, 1, 1, 1}, {1, 2, 0, 1}});
  CHECK(edge.second == 0);
  CHECK(edge.first == Approx(0.5));
  const auto collinear = solve_non_negative({{1, 2, 4, 1}, {2, 4, 8, 1}});
  CHECK(collinear.first + 2 * collinear.second == Approx(4));
  const auto nothing = solve_non_negative({});
  CHECK(nothing.first == 0);
  CHECK(nothing.second == 0);
}

} // namespace ddlsim
