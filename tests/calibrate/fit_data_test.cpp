#include "calibrate/data/fit_data.hpp"
#include "sim/compute/layer_times.hpp"
#include "tests/calibrate/planted_cluster.hpp"

#include <catch2/catch.hpp>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

const std::vector<double> small_times_s{0.055, 0.06, 0.07, 0.1, 0.11, 0.12};

std::optional<SeriesData> fit_data_of(const ReferenceData& reference, const std::vector<Record>& records) {
  const std::vector<MeasurementFile> files{planted_file(records)};
  const auto series = group_series(files);
  REQUIRE(series.size() == 1);
  const auto one_gpu_times = one_gpu_times_of(reference, reference.clusters.at("planted"), files);
  return series_data(reference, priors_for(reference.priors), series[0], *one_gpu_times);
}

Parameters median_of(const SeriesData& fit_data) {
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = fit_data.priors[k].median;
  return median;
}

} // namespace

TEST_CASE("compute is scaled to one GPU without synchronisation where that was measured") {
  const auto reference = planted_reference();
  const auto fit_data = fit_data_of(reference, planted_records("small", small_times_s));
  REQUIRE(fit_data);
  CHECK(fit_data->setup.one_gpu_s == planted_one_gpu_s("small"));
  CHECK(fit_data->compute_prior == "compute_measured");
  REQUIRE(fit_data->points.size() == 6); // one GPU under synchronisation is a point of its own
  CHECK(fit_data->points[0].gpus == 1);
  CHECK(fit_data->points[5].measured_s == 0.12);
  CHECK(fit_data->scope == CalibrationScope{"nccl-ib", "pytorch-ddp", Precision::fp32, "small", 32,
                                            planted_one_gpu_s("small"), "compute_measured"});
}

TEST_CASE("else to one GPU with it, which is then no evidence for anything else") {
  const auto reference = planted_reference();
  auto records = planted_records("small", small_times_s);
  records.erase(records.begin());
  const auto fit_data = fit_data_of(reference, records);
  REQUIRE(fit_data);
  CHECK(fit_data->setup.one_gpu_s == 0.055);
  REQUIRE(fit_data->points.size() == 5);
  CHECK(fit_data->points[0].gpus == 2);
}

TEST_CASE("else to what a prediction would start from, with that doubt") {
  const auto reference = planted_reference();
  const auto fit_data =
      fit_data_of(reference, {planted_record("small", 8, 2, 0.1), planted_record("small", 16, 4, 0.11)});
  REQUIRE(fit_data);
  CHECK(fit_data->compute_prior == "compute_estimated");
  CHECK(fit_data->points.size() == 2);
  const auto& setup = fit_data->setup;
  const ComputeQuestion question{setup.model, setup.gpu, setup.precision, setup.batch_per_gpu, setup.preset.name};
  CHECK(setup.one_gpu_s == find_compute(question, {}, {}, {{}, reference.gpus, {}}).one_gpu_s);
  CHECK(fit_data->scope.one_gpu_s == setup.one_gpu_s);
}

TEST_CASE("one GPU of a preset that counts as another's is asked for as a prediction asks, from the other's records") {
  auto reference = planted_reference();
  auto sharding = reference.presets.front();
  sharding.name = "sharding";
  sharding.one_gpu_as = reference.presets.front().name;
  auto third = reference.presets.front();
  third.name = "third";
  reference.presets.push_back(sharding);
  reference.presets.push_back(third);
  const auto alone = [](const std::string& preset, double time_s) {
    auto record = planted_record("small", 1, 1, time_s);
    record.head.series = "of " + preset;
    record.preset = preset;
    return record;
  };
  auto spread = planted_record("small", 8, 2, 0.1);
  spread.head.series = "of sharding";
  spread.preset = sharding.name;
  const std::vector<MeasurementFile> files{
      planted_file({alone(sharding.one_gpu_as, 0.05), alone("third", 0.08), spread})};
  const auto one_gpu_times = one_gpu_times_of(reference, reference.clusters.at("planted"), files);
  for (const auto& series : group_series(files))
    if (series.name == spread.head.series) {
      const auto fit_data = series_data(reference, priors_for(reference.priors), series, *one_gpu_times);
      REQUIRE(fit_data);
      CHECK(fit_data->setup.one_gpu_s == 0.05);
    }
}

TEST_CASE("one worker beside its parameter server is one GPU, one with a server elsewhere is not") {
  const auto reference = planted_reference();
  const auto base_with = [&](Placement placement, const std::string& series_asked, bool synchronised = true) {
    auto worker = planted_record("small", 1, 1, 0.06);
    worker.synchronised = synchronised;
    worker.strategy.name = StrategyName::ps;
    worker.strategy.placement = placement;
    auto other = planted_record("small", 8, 2, 0.1);
    other.head.series = series_asked;
    const std::vector<MeasurementFile> files{planted_file({worker, other})};
    const auto all = group_series(files);
    const auto one_gpu_times = one_gpu_times_of(reference, reference.clusters.at("planted"), files);
    for (const auto& series : all)
      if (series.name == series_asked)
        return series_data(reference, priors_for(reference.priors), series, *one_gpu_times)->setup.one_gpu_s;
    return 0.0;
  };
  const std::string own = planted_record("small", 1, 1, 0.06).head.series;
  CHECK(base_with(Placement::colocated, own) == 0.06);
  CHECK(base_with(Placement::colocated, "another") == 0.06);
  CHECK(base_with(Placement::dedicated, own) != 0.06);
  CHECK(base_with(Placement::dedicated, own, false) == 0.06); // the GPU alone, in a series of servers
}

TEST_CASE("noise is the spread of a mean, at least what two days differ by, and unstated has its own") {
  const auto reference = planted_reference();
  auto stated = planted_record("small", 2, 1, 0.06);
  stated.head.relative_spread = 0.08;
  stated.head.repeats = 16;
  auto steady = planted_record("small", 4, 1, 0.07);
  steady.head.relative_spread = 1e-4;
  steady.head.repeats = 100;
  auto may_be_other = planted_record("small", 16, 4, 0.11);
  may_be_other.head.suspect = true;
  const auto fit_data = fit_data_of(reference, {planted_record("small", 1, 1, 0.05), stated, steady,
                                                planted_record("small", 8, 2, 0.1), may_be_other});
  REQUIRE(fit_data);
  REQUIRE(fit_data->points.size() == 4);
  CHECK(fit_data->points[0].noise == Approx(0.02));
  CHECK(fit_data->points[1].noise == 0.004);
  CHECK(fit_data->points[2].noise == 0.015);
  CHECK(fit_data->points[3].suspect);
}

TEST_CASE("what the simulator cannot time is no evidence") {
  const auto reference = planted_reference();
  auto unknown = planted_record("small", 8, 2, 0.1);
  unknown.model = "no-such-model";
  CHECK_FALSE(fit_data_of(reference, {unknown}));
  auto gpu = planted_record("small", 8, 2, 0.1);
  gpu.head.gpu = "no-such-gpu";
  CHECK_FALSE(fit_data_of(reference, {gpu}));
  auto framework = planted_record("small", 8, 2, 0.1);
  framework.preset = "my-stack"; // whose servers nobody knows
  framework.strategy.name = StrategyName::ps_async;
  CHECK_FALSE(fit_data_of(reference, {framework}));
  auto apart = reference;
  apart.clusters.at("planted").transports = {{"grpc", "nic"}};
  CHECK_FALSE(fit_data_of(apart, {planted_record("small", 8, 2, 0.1)}));
}

namespace {

/// What the fit of the planted cluster excludes of one series, and why.
std::string excluded_of(const ReferenceData& reference, const std::vector<Record>& records) {
  const std::vector<MeasurementFile> files{planted_file(records)};
  const auto selected = select_fit_data(reference, "planted", group_series(files), files);
  return selected.excluded.empty() ? "" : selected.excluded.front().why;
}

} // namespace

TEST_CASE("all-reduces of a stack without a preset are fitted as a stack of its own, and that is said") {
  const auto reference = planted_reference();
  for (const std::string name : {"my-stack", "unnamed"}) {
    auto alone = planted_record("small", 1, 1, 0.05);
    alone.synchronised = false;
    auto record = planted_record("small", 8, 2, 0.1);
    alone.preset = record.preset = name;
    const std::vector<MeasurementFile> files{planted_file({alone, record})};
    const auto selected = select_fit_data(reference, "planted", group_series(files), files);
    REQUIRE(selected.fit_data.size() == 1);
    const auto& one = selected.fit_data[0];
    CHECK(one.points.size() == 1);
    CHECK(one.scope.preset == name);
    CHECK(one.setup.preset.name == name);
    CHECK(one.setup.one_gpu_s == Approx(0.05)); // of its own records
    CHECK(one.setup.preset.bucket_bytes == Approx(25 * 1024.0 * 1024.0));
    CHECK_THAT(selected.excluded.at(0).why, Catch::StartsWith("no preset: \"" + name + "\" is no preset: all-reduces"));
    const auto copy = SeriesData(one); // what its setup refers to goes with it
    CHECK(model_time_s(copy, copy.points[0], median_parameters(copy.priors)) > 0.05);
  }
}

TEST_CASE("what the simulator cannot time is excluded, with the reason") {
  const auto reference = planted_reference();
  const std::string begin = "the simulator cannot time it: ";
  auto record = planted_record("small", 8, 2, 0.1);
  CHECK(excluded_of(reference, {record}).empty());
  record.preset = "my-stack";
  record.strategy.name = StrategyName::ps_async;
  CHECK(excluded_of(reference, {record}) ==
        begin + "\"my-stack\" is no preset, so that what it does beside all-reduces is not known; name the one of "
                "`ddlsim list presets` that it is like");
  record = planted_record("no-such-model", 8, 2, 0.1);
  CHECK(excluded_of(reference, {record}) == begin + "model no-such-model has no layer table");
  record = planted_record("small", 8, 2, 0.1);
  record.head.device = "cpu";
  CHECK(excluded_of(reference, {record}) == begin + "it was measured on a processor, and the cluster computes on GPUs");
  record = planted_record("small", 8, 2, 0.1);
  record.precision = Precision::fp32;
  record.head.gpu = "H";
  CHECK(excluded_of(reference, {record}) == begin + "no GPU is called \"H\"; did you mean G? there are: G");
  auto apart = reference;
  apart.clusters.at("planted").transports = {{"grpc", "nic"}};
  CHECK(excluded_of(apart, {planted_record("small", 8, 2, 0.1)}) ==
        begin + "cluster planted has none of the transports of preset pytorch-ddp: nccl-ib, mpi-ib, shm");
}

TEST_CASE("one GPU alone needs no preset") {
  auto alone = planted_record("small", 1, 1, 0.05);
  alone.strategy.name = StrategyName::none;
  alone.synchronised = false;
  alone.preset = "my-stack";
  CHECK(excluded_of(planted_reference(), {alone}).empty());
}

TEST_CASE("a cluster that names no GPU is fitted from its own one-GPU times, and from nothing else") {
  auto reference = planted_reference();
  reference.clusters.at("planted").gpu = "";
  auto records = planted_records("small", small_times_s);
  for (auto& record : records) {
    std::get<StepRecord>(record).head.gpu = "";
    std::get<StepRecord>(record).head.device = "cpu";
  }
  const auto fit_data = fit_data_of(reference, records);
  REQUIRE(fit_data);
  CHECK(fit_data->setup.one_gpu_s == planted_one_gpu_s("small"));
  CHECK(fit_data->setup.gpu.name == unnamed_device().name);
  CHECK(fit_data->points.size() == 6);
  auto elsewhere = planted_record("small", 8, 2, 0.1);
  elsewhere.head.gpu = "";
  CHECK_THAT(excluded_of(reference, {elsewhere}), Catch::Contains("names no GPU, and has no record of one processor"));
}

TEST_CASE("a series measured on processors is no evidence of a cluster of GPUs") {
  const auto reference = planted_reference();
  auto records = planted_records("small", small_times_s);
  for (auto& record : records) std::get<StepRecord>(record).head.device = "cpu";
  CHECK_FALSE(fit_data_of(reference, records));
}

TEST_CASE("points on several nodes are left out of a cluster without a network") {
  auto reference = planted_reference();
  auto& cluster = reference.clusters.at("planted");
  cluster.nics.clear();
  cluster.transports = {{"shm", ""}}; // which stays inside a node
  const auto alone = fit_data_of(reference, planted_records("small", small_times_s));
  REQUIRE(alone);
  CHECK(alone->points.size() == 3); // 1, 2, 4 in a node
}

TEST_CASE("a sample with faster links is never slower") {
  const auto reference = planted_reference();
  const auto fit_data = fit_data_of(reference, planted_records("middle", small_times_s));
  REQUIRE(fit_data);
  const auto median = median_of(*fit_data);
  auto fast = median;
  fast.nic_efficiency *= 1.5;
  for (const auto& point : fit_data->points) {
    const bool crosses = point.nodes > 1;
    const double slow_s = model_time_s(*fit_data, point, median);
    const double fast_s = model_time_s(*fit_data, point, fast);
    CHECK((crosses ? fast_s < slow_s : fast_s == slow_s));
  }
}
