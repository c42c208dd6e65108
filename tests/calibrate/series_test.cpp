#include "calibrate/data/series.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/formats/plain_records.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
using namespace test;

TEST_CASE("records of one experiment become one series, ascending") {
  const auto series = group_series(
      {file_of("iris", "run", {plain_step("a", 8, 2, 0.3), plain_step("a", 1, 1, 0.1), plain_step("a", 4, 1, 0.2)})});
  REQUIRE(series.size() == 1);
  CHECK(series[0].id == "iris/run/a");
  CHECK(series[0].strategy == "ring");
  REQUIRE(series[0].points.size() == 3);
  CHECK(series[0].points[0].gpus == 1);
  CHECK(series[0].points[2].gpus == 8);
  CHECK(series[0].points[2].records == std::vector<RecordIndex>{0});
}

TEST_CASE("one GPU without synchronisation is kept apart and starts the curve only where nothing else does") {
  auto base = plain_step("a", 1, 1, 0.09);
  base.synchronised = false;
  const auto with = group_series({file_of("c", "f", {base, plain_step("a", 1, 1, 0.1), plain_step("a", 2, 1, 0.11)})});
  REQUIRE(with.size() == 1);
  CHECK(with[0].one_gpu_s == 0.09);
  CHECK(one_gpu_time(with[0]) == 0.1);
  CHECK(curve_points(with[0]).size() == 2);

  const auto without = group_series({file_of("c", "f", {base, plain_step("a", 2, 1, 0.11)})});
  REQUIRE(without.size() == 1);
  CHECK(one_gpu_time(without[0]) == 0.09);
  REQUIRE(curve_points(without[0]).size() == 2);
  CHECK(curve_points(without[0])[0].iteration_s == 0.09);
  CHECK(curve_points(without[0])[0].records == std::vector<RecordIndex>{0});
}

TEST_CASE("a scale measured again gives the median, its spread, and the trusted before the suspect") {
  auto may_be_other = plain_step("a", 2, 1, 9);
  may_be_other.head.suspect = true;
  const auto series = group_series({file_of(
      "c", "f", {plain_step("a", 2, 1, 1.0), plain_step("a", 2, 1, 1.2), plain_step("a", 2, 1, 1.1), may_be_other})});
  REQUIRE(series.size() == 1);
  REQUIRE(series[0].points.size() == 1);
  const auto& point = series[0].points[0];
  CHECK(point.iteration_s == 1.1);
  CHECK(point.repeats == 3);
  CHECK(point.relative_spread == Approx(0.1 / 1.1));
  CHECK_FALSE(point.suspect);
  CHECK(point.records.size() == 3);
}

TEST_CASE("server counts may change with scale, and two strategies at one scale are two series") {
  const auto ps = [](int gpus, int servers) {
    auto record = plain_step("a", gpus, gpus, 1.0);
    record.strategy.name = StrategyName::ps;
    record.strategy.servers = {ServerCount::Rule::count, servers};
    return record;
  };
  const auto swept = group_series({file_of("c", "f", {ps(2, 2), ps(4, 3)})});
  REQUIRE(swept.size() == 1);
  CHECK(swept[0].strategy == "ps");
  CHECK(swept[0].points[1].strategy.servers.value == 3);

  const auto crossed = group_series({file_of("c", "f", {ps(2, 1), ps(2, 2), ps(4, 1), ps(4, 2)})});
  REQUIRE(crossed.size() == 2);
  CHECK(crossed[0].points.size() == 2);
  CHECK(crossed[0].id != crossed[1].id);
}

TEST_CASE("what must agree splits a series name, forward passes are no training, other records are passed over") {
  auto other = plain_step("a", 4, 1, 0.2);
  const auto field = GENERATE(0, 1, 2, 3, 4, 5);
  if (field == 0) other.model = "vgg16";
  if (field == 1) other.batch_per_gpu = 64;
  if (field == 2) other.precision = Precision::amp;
  if (field == 3) other.preset = "horovod";
  if (field == 4) other.head.transport = "mpi-ib";
  if (field == 5) other.data = "real";
  CHECK(group_series({file_of("c", "f", {plain_step("a", 2, 1, 0.1), other})}).size() == 2);

  auto forward = plain_step("a", 4, 1, 0.2);
  forward.mode = RunMode::forward;
  const auto series = group_series({file_of("c", "f", {CollectiveRecord{}, plain_step("a", 2, 1, 0.1), forward})});
  REQUIRE(series.size() == 1);
  REQUIRE(series[0].points.size() == 1);
  CHECK(series[0].points[0].records == std::vector<RecordIndex>{1});
}

TEST_CASE("single-GPU benchmarks have no curve but keep their times") {
  auto alone = plain_step("v100", 1, 1, 0.2);
  alone.strategy.name = StrategyName::none;
  const auto series = group_series({file_of("single-gpu", "f", {alone})});
  REQUIRE(series.size() == 1);
  CHECK(series[0].points.empty());
  CHECK(series[0].one_gpu_s == 0.2);
}

} // namespace ddlsim

using namespace ddlsim;

TEST_CASE("reference data have everything that is shipped") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto reference = read_reference_data(data);
  CHECK(reference.models.size() == list_models(data).size());
  CHECK(reference.clusters.size() == list_clusters(data).size());
  CHECK(reference.models.at("resnet50_v1.5").name == "resnet50_v1.5");
  CHECK_FALSE(reference.priors.expected.empty());
}

TEST_CASE("a shipped NIC whose rate is assumed has a source that says so") {
  int assumed = 0;
  for (const auto& [name, cluster] : read_reference_data(DataFolder{DDLSIM_SOURCE_DIR}).clusters) {
    for (std::size_t i = 0; i < cluster.nics.size(); ++i) {
      if (!cluster.nics[i].bandwidth_assumed) continue;
      ++assumed;
      INFO(name);
      CHECK(cluster.sources.at("/node/nics/" + std::to_string(i)).find("assumed") != std::string::npos);
    }
  }
  CHECK(assumed > 0);
}
