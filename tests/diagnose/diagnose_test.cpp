#include "diagnose/diagnose.hpp"
#include "diagnose/possible_faults.hpp"
#include "diagnose/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"
#include "sim/predict/collectives.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <sstream>

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
    known.calibration.residual_process.spread = 0.02;
    known.calibration.residual_process.growth = 0;
    known.calibration.measurement_noise = 0.01;
    return known;
  }

  double healthy_s(int gpus) const {
    return time_step(on_gpus(curve().setup, gpus, 2), sample, Fidelity::formula).iteration_s;
  }

  Observation step(int gpus, double times = 1) const { return {Measured::step, gpus, 0, times * healthy_s(gpus)}; }
};

Fault named(const Diagnosis& diagnosis) {
  return diagnosis.causes.front().row.fault;
}

bool is_normal(const Diagnosis& diagnosis) {
  return diagnosis.verdict != Verdict::not_normal;
}

} // namespace

TEST_CASE("times as they are expected are normal, and so are faster ones") {
  const KnownCluster known;
  const auto as_expected = diagnose(known.curve(), {known.step(1), known.step(2), known.step(8)}, {});
  CHECK(as_expected.verdict == Verdict::normal);
  CHECK(as_expected.chance_if_healthy > 0.5);
  CHECK_FALSE(as_expected.discriminating.has_value());
  const auto faster = diagnose(known.curve(), {known.step(1, 0.8), known.step(2, 0.8)}, {});
  CHECK(faster.verdict == Verdict::better);
  REQUIRE(faster.gain.has_value());
  CHECK(std::string(faster.gain->row.name) == "faster-gpu");
  CHECK(faster.gain->severity == Approx(1.25).epsilon(0.1));
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
  CHECK(network.verdict == Verdict::not_normal);
  CHECK(network.causes.size() >= 2);
  auto halved = on_gpus(curve.setup, 8, 2);
  halved.slow_node.network_factor = 0.5;
  std::vector<Observation> benchmark{known.step(1), known.step(2), slow_wire};
  for (const double size_bytes : {1e5, 1e7, 1e8})
    benchmark.push_back({Measured::all_reduce, 8, size_bytes, lone_all_reduce_s(halved, known.sample, size_bytes)});
  const auto by_benchmark = diagnose(curve, benchmark, {});
  CHECK(named(by_benchmark) == Fault::link);
  CHECK(by_benchmark.causes.front().severity == Approx(2).epsilon(0.2));
}

TEST_CASE("an all-reduce that takes as long as it was once measured here is normal, a longer one is not") {
  const KnownCluster known;
  auto curve = known.curve();
  constexpr double size_bytes = 1e8;
  const double model_s = lone_all_reduce_s(on_gpus(curve.setup, 8, 2), known.sample, size_bytes);
  const Observation as_measured{Measured::all_reduce, 8, size_bytes, 4 * model_s};
  CHECK(diagnose(curve, {as_measured}, {}).verdict == Verdict::not_normal);
  curve.calibration.all_reduces = {{{8, 4, size_bytes}, 4 * model_s, 0.01, StrategyName::ring}};
  CHECK(is_normal(diagnose(curve, {as_measured}, {})));
  CHECK_FALSE(is_normal(diagnose(curve, {{Measured::all_reduce, 8, size_bytes, 6 * model_s}}, {})));
}

TEST_CASE("what is needed to distinguish the first two causes is a point that was not observed, where they differ") {
  const KnownCluster known;
  const auto diagnosis = diagnose(known.curve(), {known.step(8, 1.6)}, {});
  REQUIRE(diagnosis.verdict == Verdict::not_normal);
  REQUIRE(diagnosis.discriminating.has_value());
  CHECK_FALSE((diagnosis.discriminating->point.what == Measured::step && diagnosis.discriminating->point.gpus == 8));
  CHECK(std::abs(std::log(diagnosis.discriminating->first_s / diagnosis.discriminating->second_s)) > 0.02);
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
                       [&](const Cause& cause) { return cause.row.fault == fault; });
  };
  const auto one_node = diagnose(known.curve(), {known.step(2)}, {});
  CHECK_FALSE(has(one_node, Fault::link));
  CHECK_FALSE(has(one_node, Fault::host));
  CHECK_FALSE(has(one_node, Fault::server));
  const auto benchmark = diagnose(known.curve(), {{Measured::all_reduce, 8, 1e8, 0.175}}, {});
  CHECK_FALSE(has(benchmark, Fault::loader));
  CHECK(has(benchmark, Fault::link));
}

TEST_CASE("causes that a log cannot test are named with what it does not time") {
  const auto missing_of = [](const std::vector<UntestedFault>& untested, const std::string& cause) -> std::string {
    for (const auto& one : untested)
      if (one.row.name == cause) return to_text(one.missing);
    return "";
  };
  const KnownCluster known;
  const auto curve = known.curve();
  const int of_node = curve.gpus_per_full_node;
  REQUIRE(of_node > 1);
  const auto alone = untested_faults(curve, {1}, false, {});
  CHECK(missing_of(alone, "link") == "several-nodes");
  CHECK(missing_of(alone, "inside") == "several-gpus");
  CHECK(missing_of(alone, "gpu").empty());
  CHECK(missing_of(alone, "server").empty()); // no log of an all-reduce could show servers
  const auto across = untested_faults(curve, {of_node, 2 * of_node}, false, {});
  CHECK(missing_of(across, "contention") == "other-nodes");
  CHECK(missing_of(across, "link").empty());
  CHECK(missing_of(untested_faults(curve, {2 * of_node}, true, {}), "loader") == "iterations");
  CHECK(untested_faults(curve, {1, of_node, 2 * of_node, 4 * of_node}, false, {}).empty());
}

TEST_CASE("nothing measured, a scale that cannot be, all-reduces of servers: one sentence each") {
  const KnownCluster known;
  CHECK_THROWS_WITH(diagnose(known.curve(), {}, {}), Catch::Contains("no measured time found"));
  CHECK_THROWS_AS(diagnose(known.curve(), {{Measured::step, 1000, 0, 1, "log:7"}}, {}), UserError);
  auto servers = known.curve();
  servers.setup.strategy.name = StrategyName::ps;
  CHECK_THROWS_WITH(diagnose(servers, {{Measured::all_reduce, 8, 1e6, 1, "log:7"}}, {}),
                    Catch::Contains("parameter servers do not all-reduce"));
}

TEST_CASE("the first screen has 20 lines of 80 columns, a verdict, a chart, causes that add up, and what to run next") {
  const KnownCluster known;
  const auto diagnosis = diagnose(known.curve(), {known.step(1), known.step(2), known.step(8, 1.6)}, {});
  const auto text = to_screen_text(diagnosis);
  std::istringstream stream(text);
  int lines = 0;
  for (std::string line; std::getline(stream, line); ++lines) CHECK(line.size() <= 80);
  CHECK(lines <= 20);
  CHECK(text.find("Not normal: 8 GPUs take") != std::string::npos);
  CHECK(text.find("none of these") != std::string::npos);
  CHECK(text.find("Run next:") != std::string::npos);
  CHECK(text.find("Exit code 3: not normal.") != std::string::npos);
  const auto details = to_details_text(diagnosis);
  CHECK(details.find(text) == 0);
  for (const auto& cause : diagnosis.causes)
    CHECK(details.find(std::string(cause.row.name) + ": ") != std::string::npos);
  const auto json = nlohmann::json::parse(to_json_text(diagnosis));
  CHECK(json["format"] == "ddlsim-diagnosis");
  CHECK(json["normal"] == false);
  CHECK(json["verdict"] == "not normal");
  REQUIRE(json["points"].size() == 3);
  CHECK(json["points"][2]["is"] == "slower");
  CHECK(json["points"][2]["time_s"].get<double>() == Approx(1.6 * known.healthy_s(8)));
  CHECK(json["causes"][0]["chance"].get<double>() >= json["causes"][1]["chance"].get<double>());
}

TEST_CASE("none of these is always among the causes, and comes first where each time has a factor of its own") {
  const KnownCluster known;
  const auto has_none = [](const Diagnosis& diagnosis) {
    return std::count_if(diagnosis.causes.begin(), diagnosis.causes.end(),
                         [](const Cause& cause) { return cause.row.fault == Fault::none_of_these; }) == 1;
  };
  CHECK(has_none(diagnose(known.curve(), {known.step(8)}, {})));
  const auto odd =
      diagnose(known.curve(), {known.step(1, 2.2), known.step(2, 1), known.step(4, 3.1), known.step(8, 1.1)}, {});
  CHECK(odd.verdict == Verdict::not_normal);
  CHECK(named(odd) == Fault::none_of_these);
}

TEST_CASE("one odd size among many makes no cluster not normal") {
  const KnownCluster known;
  const auto curve = known.curve();
  std::vector<Observation> sizes;
  for (double size_bytes = 1024; size_bytes <= 1 << 30; size_bytes *= 2)
    sizes.push_back(
        {Measured::all_reduce, 8, size_bytes, lone_all_reduce_s(on_gpus(curve.setup, 8, 2), known.sample, size_bytes)});
  CHECK(diagnose(curve, sizes, {}).verdict == Verdict::normal);
  sizes[7].time_s *= 9;
  CHECK(is_normal(diagnose(curve, sizes, {})));
  auto halved = on_gpus(curve.setup, 8, 2);
  halved.slow_node.network_factor = 0.5;
  for (auto& one : sizes) one.time_s = lone_all_reduce_s(halved, known.sample, one.size_bytes);
  sizes[7].time_s *= 9;
  CHECK(diagnose(curve, sizes, {}).verdict == Verdict::not_normal);
}

TEST_CASE("one size alone is normal inside the healthy interval that is printed, also without any table") {
  const KnownCluster known;
  const auto curve = known.curve();
  REQUIRE(curve.calibration.all_reduces.empty());
  const Observation likely{Measured::all_reduce, 8, 1e8, 1};
  const auto healthy = expected_time(curve, likely);
  const auto predicted = predict_collective(curve, 8, likely.size_bytes).time;
  CHECK(healthy.s == predicted.s);
  const double common = normal_quantile(0.95) * common_spread(curve, likely);
  CHECK(common > 0);
  CHECK(std::log(healthy.s_high / healthy.s) == Approx(std::hypot(std::log(predicted.s_high / predicted.s), common)));
  CHECK(std::log(healthy.s / healthy.s_low) == Approx(std::hypot(std::log(predicted.s / predicted.s_low), common)));
  auto inside = likely;
  inside.time_s = 0.9 * healthy.s_high;
  CHECK(diagnose(curve, {inside}, {}).verdict == Verdict::normal);
}

TEST_CASE("a benchmark of reduce-scatter, all-gather or all-to-all is compared, and needs no memory of a model") {
  KnownCluster known;
  known.gpu.memory_bytes = 1; // no model fits
  const auto curve = known.curve();
  const auto setup = on_gpus(curve.setup, 8, 2);
  constexpr double size_bytes = 1e8;
  for (const auto what : {Measured::reduce_scatter, Measured::all_gather, Measured::all_to_all}) {
    const double healthy_s = collective_alone_s(setup, known.sample, what, size_bytes);
    CHECK(is_normal(diagnose(curve, {{what, 8, size_bytes, healthy_s}}, {})));
    CHECK_FALSE(is_normal(diagnose(curve, {{what, 8, size_bytes, 5 * healthy_s}}, {})));
  }
  // around a ring of eight over NICs of 1 GB/s each half of an all-reduce takes 7/8 of 0.1 s, and one latency
  const double half_all_reduce_s = collective_alone_s(setup, known.sample, Measured::all_gather, size_bytes);
  CHECK(half_all_reduce_s == Approx(0.0875 + 1e-3));
}

TEST_CASE("data loading and storage that the scenario does not read do not lead") {
  const KnownCluster known;
  const auto diagnosis =
      diagnose(known.curve(), {known.step(1), known.step(2), known.step(4, 1.5), known.step(8, 2.5)}, {});
  CHECK(diagnosis.verdict == Verdict::not_normal);
  for (const auto& cause : diagnosis.causes) CHECK(cause.row.fault != Fault::storage);
  CHECK(named(diagnosis) != Fault::loader);
}

} // namespace ddlsim
