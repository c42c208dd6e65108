#include "diagnose/diagnose.hpp"
#include "sim/base/error.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// Two GPUs a node on a switch, of which all is known but 2 % about the model and 1 % of a measurement.
struct KnownCluster : SmallCluster {
  KnownCluster() {
    cluster.gpus_per_node = 2;
    cluster.available_nodes = 4;
    cluster.intra = {IntraKind::pcie_tree, 1e10, 1e-6};
  }

  Curve curve() const {
    Curve known{setup(StrategyName::ring, 1), sample, {}, 2, 8, EvidenceLabel::calibrated};
    known.samples.values.assign(20, sample);
    known.samples.z_scores.assign(20, std::vector<double>(parameter_fields().size(), 0.0));
    known.learnt.residual_process.spread = 0.02;
    known.learnt.residual_process.growth = 0;
    known.learnt.measurement_noise = 0.01;
    return known;
  }

  double healthy_s(int gpus) const {
    return time_step(on_gpus(curve().setup, gpus, 2), sample, Fidelity::screening).iteration_s;
  }

  Observation step(int gpus, double times = 1) const { return {Observed::iteration, gpus, 0, times * healthy_s(gpus)}; }
};

Fault named(const Diagnosis& diagnosis) {
  return diagnosis.causes.front().kind.fault;
}

} // namespace

TEST_CASE("times as they are expected are normal, and so are faster ones") {
  const KnownCluster known;
  const auto as_expected = diagnose(known.curve(), {known.step(1), known.step(2), known.step(8)}, {});
  CHECK(as_expected.is_normal);
  CHECK(as_expected.chance_if_healthy > 0.5);
  CHECK_FALSE(as_expected.tell_apart.has_value());
  CHECK(diagnose(known.curve(), {known.step(1, 0.8), known.step(8, 0.8)}, {}).is_normal);
}

TEST_CASE("what is slow from one GPU on is the GPU, from one node on the loader, across nodes the network or a node") {
  const KnownCluster known;
  const auto curve = known.curve();
  CHECK(named(diagnose(curve, {known.step(1, 1.5), known.step(2, 1.5), known.step(8, 1.2)}, {})) == Fault::gpu);

  // 100 MB around a ring of eight over one NIC of 1 GB/s take 0.175 s of 0.475 s: at half the rate 0.35 s
  const double wire_s = 2 * 7.0 / 8 * 0.1;
  auto slow_wire = known.step(8);
  slow_wire.time_s += wire_s;
  const auto network = diagnose(curve, {known.step(1), known.step(2), slow_wire}, {});
  CHECK_FALSE(network.is_normal);
  CHECK(network.causes.size() >= 2);
  const double sum_bytes = 1e8;
  Observation sum{Observed::all_reduce, 8, sum_bytes, 2 * wire_s};
  const auto by_benchmark = diagnose(curve, {known.step(1), known.step(2), slow_wire, sum}, {});
  CHECK(named(by_benchmark) == Fault::link);
  CHECK(by_benchmark.causes.front().severity == Approx(2).epsilon(0.2));
}

TEST_CASE("an all-reduce that takes as long as it was once measured here is normal, a longer one is not") {
  const KnownCluster known;
  auto curve = known.curve();
  constexpr double size_bytes = 1e8;
  const double model_s = lone_sum_s(on_gpus(curve.setup, 8, 2), known.sample, size_bytes);
  const Observation as_measured{Observed::all_reduce, 8, size_bytes, 1.6 * model_s};
  CHECK_FALSE(diagnose(curve, {as_measured}, {}).is_normal);
  curve.learnt.sums = {{{8, 4, size_bytes}, 1.6 * model_s, 0.01, StrategyName::ring}};
  CHECK(diagnose(curve, {as_measured}, {}).is_normal);
  CHECK_FALSE(diagnose(curve, {{Observed::all_reduce, 8, size_bytes, 2 * model_s}}, {}).is_normal);
}

TEST_CASE("what is needed to tell the first two causes apart is a point that was not observed, where they differ") {
  const KnownCluster known;
  const auto diagnosis = diagnose(known.curve(), {known.step(8, 1.6)}, {});
  REQUIRE_FALSE(diagnosis.is_normal);
  REQUIRE(diagnosis.tell_apart.has_value());
  CHECK_FALSE((diagnosis.tell_apart->point.what == Observed::iteration && diagnosis.tell_apart->point.gpus == 8));
  CHECK(std::abs(std::log(diagnosis.tell_apart->first_s / diagnosis.tell_apart->second_s)) > 0.02);
}

TEST_CASE("several times of one point are their median, and chances of causes add up to one") {
  const KnownCluster known;
  const auto one = diagnose(known.curve(), {known.step(8)}, {});
  const auto three = diagnose(known.curve(), {known.step(8, 0.9), known.step(8), known.step(8, 7)}, {});
  REQUIRE(three.points.size() == 1);
  CHECK(three.points[0].observed.time_s == one.points[0].observed.time_s);
  CHECK(to_json_text(three) == to_json_text(one));
  double sum = 0;
  for (const auto& cause : one.causes) sum += cause.chance;
  CHECK(sum == Approx(1));
}

TEST_CASE("faults that cannot act are not among the causes") {
  const KnownCluster known;
  const auto has = [](const Diagnosis& diagnosis, Fault fault) {
    return std::any_of(diagnosis.causes.begin(), diagnosis.causes.end(),
                       [&](const Cause& cause) { return cause.kind.fault == fault; });
  };
  const auto one_node = diagnose(known.curve(), {known.step(2)}, {});
  CHECK_FALSE(has(one_node, Fault::link));
  CHECK_FALSE(has(one_node, Fault::host));
  CHECK_FALSE(has(one_node, Fault::server));
  const auto benchmark = diagnose(known.curve(), {{Observed::all_reduce, 8, 1e8, 0.175}}, {});
  CHECK_FALSE(has(benchmark, Fault::loader));
  CHECK(has(benchmark, Fault::link));
}

TEST_CASE("nothing measured, a scale that cannot be, all-reduces of servers: one sentence each") {
  const KnownCluster known;
  CHECK_THROWS_WITH(diagnose(known.curve(), {}, {}), Catch::Contains("no measured time found"));
  CHECK_THROWS_AS(diagnose(known.curve(), {{Observed::iteration, 1000, 0, 1, "log:7"}}, {}), UserError);
  auto servers = known.curve();
  servers.setup.strategy.name = StrategyName::ps;
  CHECK_THROWS_WITH(diagnose(servers, {{Observed::all_reduce, 8, 1e6, 1, "log:7"}}, {}),
                    Catch::Contains("parameter servers do not all-reduce"));
}

TEST_CASE("the text begins with the verdict; the JSON has every point, cause and chance") {
  const KnownCluster known;
  const auto diagnosis = diagnose(known.curve(), {known.step(1), known.step(8, 1.6)}, {});
  const auto text = to_terminal_text(diagnosis);
  CHECK(text.find("Not normal: 1 of 2 times are slower than the 90 % interval.") != std::string::npos);
  CHECK(text.find("likeliest first") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json_text(diagnosis));
  CHECK(json["format"] == "ddlsim-diagnosis");
  CHECK(json["normal"] == false);
  REQUIRE(json["points"].size() == 2);
  CHECK(json["points"][1]["is"] == "slower");
  CHECK(json["points"][1]["time_s"].get<double>() == Approx(1.6 * known.healthy_s(8)));
  CHECK(json["causes"][0]["chance"].get<double>() >= json["causes"][1]["chance"].get<double>());
}

} // namespace ddlsim
