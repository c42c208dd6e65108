#include "calibrate/data/fit_data.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

const std::vector<double> times_s{0.055, 0.06, 0.07, 0.1, 0.11, 0.12};

std::optional<SeriesEvidence> evidence_of(const Shelf& shelf, const std::vector<Record>& records) {
  const auto series = group_series({planted_file(records)});
  REQUIRE(series.size() == 1);
  return series_evidence(shelf, shelf.priors, series[0]);
}

Parameters median_of(const SeriesEvidence& evidence) {
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = evidence.priors[k].median;
  return median;
}

} // namespace

TEST_CASE("compute is scaled to one GPU without synchronisation where that was measured") {
  const auto shelf = planted_shelf();
  const auto evidence = evidence_of(shelf, planted_records("small", times_s));
  REQUIRE(evidence);
  CHECK(evidence->setup.one_gpu_s == planted_one_gpu_s("small"));
  CHECK(evidence->compute_prior == "compute_measured");
  REQUIRE(evidence->points.size() == 6); // one GPU under synchronisation is a point of its own
  CHECK(evidence->points[0].gpus == 1);
  CHECK(evidence->points[5].measured_s == 0.12);
  CHECK(evidence->scope == CalibrationScope{"nccl-ib", "pytorch-ddp", "fp32", "small", 32});
}

TEST_CASE("else to one GPU with it, which is then no evidence for anything else") {
  const auto shelf = planted_shelf();
  auto records = planted_records("small", times_s);
  records.erase(records.begin());
  const auto evidence = evidence_of(shelf, records);
  REQUIRE(evidence);
  CHECK(evidence->setup.one_gpu_s == 0.055);
  REQUIRE(evidence->points.size() == 5);
  CHECK(evidence->points[0].gpus == 2);
}

TEST_CASE("else the median world passes through the smallest scale") {
  const auto shelf = planted_shelf();
  const auto evidence = evidence_of(shelf, {planted_record("small", 8, 2, 0.1), planted_record("small", 16, 4, 0.11)});
  REQUIRE(evidence);
  CHECK(evidence->compute_prior == "compute_roofline");
  REQUIRE(evidence->points.size() == 2);
  // 40 halvings of ln 1000
  CHECK(model_time_s(*evidence, evidence->points[0], median_of(*evidence)) == Approx(0.1).epsilon(1e-9));
}

TEST_CASE("noise is the spread of a mean, at least what two days differ by; unstated and suspect have their own") {
  const auto shelf = planted_shelf();
  auto stated = planted_record("small", 2, 1, 0.06);
  stated.head.relative_spread = 0.08;
  stated.head.repeats = 16;
  auto steady = planted_record("small", 4, 1, 0.07);
  steady.head.relative_spread = 1e-4;
  steady.head.repeats = 100;
  auto doubted = planted_record("small", 16, 4, 0.11);
  doubted.head.suspect = true;
  const auto evidence = evidence_of(
      shelf, {planted_record("small", 1, 1, 0.05), stated, steady, planted_record("small", 8, 2, 0.1), doubted});
  REQUIRE(evidence);
  REQUIRE(evidence->points.size() == 4);
  CHECK(evidence->points[0].noise == Approx(0.02));
  CHECK(evidence->points[1].noise == 0.004);
  CHECK(evidence->points[2].noise == 0.015);
  CHECK(evidence->points[3].noise == 0.06);
  CHECK(evidence->points[3].suspect);
}

TEST_CASE("what the simulator cannot time is no evidence") {
  const auto shelf = planted_shelf();
  auto unknown = planted_record("small", 8, 2, 0.1);
  unknown.model = "no-such-model";
  CHECK_FALSE(evidence_of(shelf, {unknown}));
  auto gpu = planted_record("small", 8, 2, 0.1);
  gpu.head.gpu = "no-such-gpu";
  CHECK_FALSE(evidence_of(shelf, {gpu}));
}

TEST_CASE("strategies that cannot be simulated, and nodes without a network, are left out") {
  auto shelf = planted_shelf();
  auto odd = planted_record("small", 16, 4, 0.1);
  odd.strategy.name = "decentralised";
  const auto evidence = evidence_of(shelf, {odd});
  CHECK((!evidence || evidence->points.empty()));
  auto& cluster = shelf.clusters.at("planted");
  cluster.nics.clear();
  cluster.transports = {{"shm", ""}};
  const auto alone = evidence_of(shelf, planted_records("small", times_s));
  REQUIRE(alone);
  CHECK(alone->points.size() == 3); // 1, 2, 4 in a node
}

TEST_CASE("a world with faster links is never slower") {
  const auto shelf = planted_shelf();
  const auto evidence = evidence_of(shelf, planted_records("middle", times_s));
  REQUIRE(evidence);
  const auto median = median_of(*evidence);
  auto fast = median;
  fast.nic_efficiency *= 1.5;
  for (const auto& point : evidence->points) {
    const bool crosses = point.nodes > 1;
    const double slow_s = model_time_s(*evidence, point, median);
    const double fast_s = model_time_s(*evidence, point, fast);
    CHECK((crosses ? fast_s < slow_s : fast_s == slow_s));
  }
}
