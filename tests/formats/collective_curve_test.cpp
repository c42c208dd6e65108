#include "sim/base/json.hpp"
#include "sim/formats/calibration_fields.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

using namespace ddlsim;

namespace {

CollectiveCurve sample_curve() {
  CollectiveCurve curve;
  curve.key = {"iris", "nccl-ib", "nccl", "all_reduce", "ring", "ring-16", 16, 2};
  curve.latency_s = {100e-6, 0.1, true};
  curve.rate_Bps = {1e10 / 3, 0.05, true};
  curve.pipelining = {0.6, 0.4, false};
  curve.correlation = {0.3, -0.5, 0.2};
  curve.points = {{1000, 0.1}, {10000, -0.1}, {1000000, 0.2}};
  curve.noise = 0.01;
  curve.wander = 0.08;
  curve.fit_spread = 0.12;
  curve.mean_leave_one_out_error = 0.031;
  curve.worst_leave_one_out_error = 0.19;
  curve.leave_one_out_points = 3;
  curve.jumps = {{1000, 10000, 0.8}};
  curve.sources = {"a.jsonl:2-4"};
  return curve;
}

nlohmann::ordered_json json_of_curve(const CollectiveCurve& curve) {
  return write_fields(collective_curve_fields(), curve);
}

/// Reads one curve and gives its mistakes, "path: what".
std::vector<std::string> mistakes_of_curve(const nlohmann::json& json) {
  Mistakes mistakes("curve.json");
  read_object(JsonNode(json, "", mistakes), collective_curve_fields());
  std::vector<std::string> texts;
  for (const auto& one : mistakes.list()) texts.push_back(one.path + ": " + one.what);
  return texts;
}

} // namespace

TEST_CASE("the fit is a latency, a rate and what of both does not overlap") {
  auto curve = sample_curve();
  curve.points.clear();
  curve.rate_Bps.value = 1e9;
  CHECK(collective_time_s(curve, 0) == Approx(100e-6));
  CHECK(collective_time_s(curve, 1e5) == Approx(100e-6 + 100e-6 + 2 * 0.6 * 100e-6));
  curve.pipelining.value = 1; // (sqrt a + sqrt(S/B))^2
  CHECK(collective_time_s(curve, 4e5) == Approx(std::pow(std::sqrt(100e-6) + std::sqrt(400e-6), 2)));
}

TEST_CASE("measured sizes come back, between them the table is straight in logarithms") {
  const auto curve = sample_curve();
  for (const auto& point : curve.points)
    CHECK(collective_time_s(curve, point.size_bytes) ==
          Approx(alpha_beta_s(curve, point.size_bytes) * std::exp(point.residual)).epsilon(1e-12));
  const double middle = std::sqrt(1000.0 * 10000.0);
  CHECK(collective_time_s(curve, middle) == Approx(alpha_beta_s(curve, middle)).epsilon(1e-12)); // of 0.1 and -0.1
  CHECK(collective_time_s(curve, 100000) == Approx(alpha_beta_s(curve, 100000) * std::exp(0.05)).epsilon(1e-12));
}

TEST_CASE("outside the measured sizes the fit continues from the last one") {
  const auto curve = sample_curve();
  for (const double size : {2e6, 1e9, 1e12})
    CHECK(collective_time_s(curve, size) == Approx(alpha_beta_s(curve, size) * std::exp(0.2)).epsilon(1e-12));
  for (const double size : {0.0, 1.0, 999.0})
    CHECK(collective_time_s(curve, size) == Approx(alpha_beta_s(curve, size) * std::exp(0.1)).epsilon(1e-12));
}

TEST_CASE("doubt is the noise at a measured size, most in the middle of a gap, and grows beyond the ends") {
  const auto curve = sample_curve();
  for (const auto& point : curve.points)
    CHECK(collective_time_error(curve, point.size_bytes) == Approx(0.01).epsilon(1e-9));
  const double gap = std::log(10.0);
  CHECK(collective_time_error(curve, std::sqrt(1e7)) ==
        Approx(std::sqrt(0.01 * 0.01 + 0.08 * 0.08 * gap / 4)).epsilon(1e-9));
  CHECK(collective_time_error(curve, 1e5) > collective_time_error(curve, 3e4));
  CHECK(collective_time_error(curve, 1e7) > collective_time_error(curve, 2e6));
  CHECK(collective_time_error(curve, 1e8) > collective_time_error(curve, 1e7));
  CHECK(collective_time_error(curve, 10) > collective_time_error(curve, 500));
}

TEST_CASE("without a table the doubt is that of the constants and of the fit") {
  auto curve = sample_curve();
  curve.points.clear();
  // 0 bytes: the latency alone
  CHECK(collective_time_error(curve, 0) == Approx(std::sqrt(0.01 * 0.01 + 0.1 * 0.1 + 0.12 * 0.12)).epsilon(1e-9));
}

TEST_CASE("sensitivities are the slopes of ln fit") {
  const double step = 1e-6;
  const auto alpha_beta = [](double a, double b, double k, double size) {
    return std::log(a + size / b + 2 * k * std::sqrt(a * size / b));
  };
  for (const double size : {0.0, 1e4, 3e5, 1e9}) {
    const auto slope = alpha_beta_sensitivities(100e-6, 3e9, 0.6, size);
    const double up = std::exp(step), down = std::exp(-step);
    // central differences: good to step^2
    CHECK(slope[0] ==
          Approx((alpha_beta(1e-4 * up, 3e9, 0.6, size) - alpha_beta(1e-4 * down, 3e9, 0.6, size)) / (2 * step))
              .margin(1e-8));
    CHECK(slope[1] ==
          Approx((alpha_beta(1e-4, 3e9 * up, 0.6, size) - alpha_beta(1e-4, 3e9 * down, 0.6, size)) / (2 * step))
              .margin(1e-8));
    CHECK(slope[2] ==
          Approx((alpha_beta(1e-4, 3e9, 0.6 * up, size) - alpha_beta(1e-4, 3e9, 0.6 * down, size)) / (2 * step))
              .margin(1e-8));
  }
}

TEST_CASE("a curve comes back from its JSON with six digits") {
  const auto curve = sample_curve();
  const std::string text = json_of_curve(curve).dump();
  const auto json = nlohmann::json::parse(text);
  Mistakes mistakes("curve.json");
  const auto back = read_object(JsonNode(json, "", mistakes), collective_curve_fields());
  CHECK(mistakes.empty());
  CHECK(back.key == curve.key);
  CHECK(back.rate_Bps.value == Approx(curve.rate_Bps.value).epsilon(1e-6));
  CHECK(back.points.size() == 3);
  CHECK(json_of_curve(back).dump() == text);
  for (const double size : {10.0, 5e3, 3e5, 1e9}) {
    CHECK(collective_time_s(back, size) == Approx(collective_time_s(curve, size)).epsilon(1e-3));
    CHECK(collective_time_error(back, size) == Approx(collective_time_error(curve, size)).epsilon(1e-3));
  }
}

TEST_CASE("what is wrong with a curve is reported at its place") {
  const nlohmann::json good = nlohmann::json::parse(json_of_curve(sample_curve()).dump());
  CHECK(mistakes_of_curve(good).empty());
  const auto spoilt = [&](const char* pointer, const nlohmann::json& value) {
    auto json = good;
    json[nlohmann::json::json_pointer(pointer)] = value;
    return mistakes_of_curve(json);
  };
  const auto says = [](const std::vector<std::string>& mistakes, const std::string& what) {
    REQUIRE(mistakes.size() == 1);
    CHECK_THAT(mistakes[0], Catch::StartsWith(what));
  };
  says(spoilt("/rate_Bps/value", -1), "/rate_Bps/value: -1 found");
  says(spoilt("/latency_s", 3), "/latency_s: 3 found, an object expected");
  says(spoilt("/points/1/size_bytes", 1000), "/points/1/size_bytes: 1000 found after 1000");
  says(spoilt("/correlation/latency_rate", 2), "/correlation/latency_rate: 2 is out of range");
  says(spoilt("/jumps", "none"), "/jumps: \"none\" found, a list expected");
  says(spoilt("/key", "x"), "/key: unknown key");
  auto missing = good;
  missing.erase("wander");
  says(mistakes_of_curve(missing), "/wander: missing");
}
