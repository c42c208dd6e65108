#include "calibrate/fit/calibrate.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/calibration.hpp"
#include "sim/formats/data_folder.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/calibrate/planted_cluster.hpp"
#include "tests/import/import_support.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddlsim;
using namespace ddlsim_test;

namespace {

/// Times of the priors' median sample, each off by `noise` at most, alternately up and down.
std::vector<double> plain_times(const ReferenceData& reference, const std::string& model, double noise = 0.003) {
  const auto fit_data = planted_data(reference, {model}).at(0);
  Parameters median;
  const auto fields = parameter_fields();
  for (std::size_t k = 0; k < fields.size(); ++k) median.*fields[k].value = fit_data.priors[k].median;
  std::vector<double> times_s;
  for (const auto& point : fit_data.points)
    times_s.push_back(model_time_s(fit_data, point, median) * (1 + (times_s.size() % 2 == 0 ? noise : -noise)));
  return times_s;
}

/// Calibrates the records, which lie in the planted cluster's folder.
struct Run {
  ReferenceData reference = planted_reference();

  Calibration of(std::vector<Record> records, const std::string& context = "planted") const {
    auto file = planted_file(std::move(records));
    file.file = std::string(DDLSIM_SOURCE_DIR) + "/README.md"; // any that has a checksum
    file.context.cluster = context;
    return calibrate(reference, "planted", {file}).calibration;
  }
  std::vector<Record> series(const std::string& model) const {
    return planted_records(model, plain_times(reference, model));
  }
};

/// What is told of the first thing whose name has `what` in it; "" when nothing is.
std::string reported(const Calibration& calibration, const std::string& what) {
  for (const auto& one : calibration.excluded)
    if (one.what.find(what) != std::string::npos) return one.why;
  return "";
}

const CalibratedSeries& series_of(const Calibration& calibration, const std::string& model) {
  for (const auto& one : calibration.series)
    if (one.scope.model == model) return one;
  throw std::out_of_range(model);
}

StepRecord& step_at(std::vector<Record>& records, int gpus) {
  for (auto& record : records)
    if (auto& step = std::get<StepRecord>(record); step.gpus == gpus && step.nodes > 1) return step;
  throw std::out_of_range("gpus");
}

} // namespace

TEST_CASE("good measurements: parameters are learnt and nothing is excluded") {
  const Run run;
  auto records = run.series("small");
  for (const auto& record : run.series("large")) records.push_back(record);
  const auto calibration = run.of(records);
  CHECK(calibration.cluster == "planted");
  CHECK(calibration.excluded.empty());
  CHECK(calibration.files.size() == 1);
  CHECK(calibration.quality.points == 12);
  CHECK(calibration.quality.fit_error < 0.01);
  CHECK(std::count_if(calibration.parameters.begin(), calibration.parameters.end(),
                      [](const CalibratedParameter& one) { return one.identified; }) >= 3);
  CHECK_THAT(calibration_summary({calibration, {}, {}}),
             Catch::StartsWith("planted: learnt from 12 measured points in 2 series"));
}

TEST_CASE("nothing to fit is refused, with what to do and what was found") {
  const Run run;
  CHECK_THROWS_WITH(run.of({}), Catch::Contains("no step record on more than one GPU") &&
                                    Catch::Contains("measure some with ddltrain"));
  auto unknown = planted_record("small", 8, 2, 0.1);
  unknown.model = "no-such-model";
  CHECK_THROWS_WITH(run.of({unknown}), Catch::Contains("no step record") && Catch::Contains("no layer table"));
}

TEST_CASE("another cluster's records are not this one's") {
  const Run run;
  CHECK_THROWS_WITH(run.of(run.series("small"), "elsewhere"), Catch::Contains("no step record"));
  auto stray = planted_file(run.series("large"));
  const ddlsim_test::TemporaryFolder folder;
  stray.file = folder.write("platforms/planted/measurements/stray.jsonl", "{}");
  stray.context.cluster = "elsewhere";
  auto own = planted_file(run.series("small"));
  own.file = std::string(DDLSIM_SOURCE_DIR) + "/README.md";
  const auto calibration = calibrate(run.reference, "planted", {own, stray}).calibration;
  CHECK(calibration.series.size() == 1);
  REQUIRE(calibration.files.size() == 2); // what stands in the folder: putting the stray right changes its bytes
  CHECK_THAT(calibration.files[0], Catch::StartsWith("planted/README.md "));
  CHECK_THAT(calibration.files[1], Catch::StartsWith("planted/stray.jsonl "));
  CHECK_THAT(reported(calibration, "stray.jsonl"), Catch::Contains("records are of elsewhere"));
}

TEST_CASE("one point alone is fitted, with a note of what stays open") {
  const Run run;
  const auto calibration = run.of({planted_record("small", 1, 1, 0.05), planted_record("small", 8, 2, 0.09)});
  CHECK_THAT(reported(calibration, "planted"), Catch::StartsWith("one step time only, at 8 GPUs on 2 nodes"));
  for (const auto& one : calibration.parameters) CHECK(one.error > 0.3); // a point of 3.4 % cannot say more of any
}

TEST_CASE("all at one scale, and nothing across nodes, are noted") {
  const Run run;
  const auto one_scale = run.of({planted_record("small", 1, 1, 0.05), planted_record("small", 8, 2, 0.09),
                                 planted_record("large", 1, 1, 0.2), planted_record("large", 8, 2, 0.4)});
  CHECK_THAT(reported(one_scale, "planted"), Catch::StartsWith("all 2 step times are at 8 GPUs on 2 nodes"));
  auto records = run.series("small");
  records.resize(4); // 1, 2 and 4 GPUs
  CHECK_THAT(reported(run.of(records), "planted"), Catch::StartsWith("no step time across nodes"));
}

TEST_CASE("one time at every scale is a copied column, and the priors stay") {
  const Run run;
  auto records = run.series("small");
  for (auto& record : records) std::get<StepRecord>(record).iteration_s = 0.05;
  const auto calibration = run.of(records);
  CHECK_THAT(reported(calibration, "small-ddp"),
             Catch::StartsWith("all 6 times are 50 ms, from 1 to 32 GPUs, and no run scales like that"));
  CHECK(calibration.series.empty());
  for (const auto& one : calibration.parameters) {
    CHECK_FALSE(one.identified);
    CHECK(one.z_score == 0);
  }
  records = run.series("small");
  records.resize(3); // two scales may agree by chance
  for (auto& record : records) std::get<StepRecord>(record).iteration_s = 0.05;
  CHECK(series_of(run.of(records), "small").points.size() == 2);
}

TEST_CASE("times that their source doubts, all of them, leave the priors and one sentence") {
  const Run run;
  auto records = run.series("small");
  for (auto& record : records) std::get<StepRecord>(record).head.suspect = true;
  const std::string sentence =
      "all 5 step times are marked unreliable by their source, and none is fitted; measure them again";
  CHECK_THROWS_WITH(run.of(records), "planted: nothing is left to fit, so that the priors hold: " + sentence);

  records.push_back(planted_record("large", 1, 1, 0.2)); // a line over batch is learnt
  const auto calibration = run.of(records);
  CHECK(reported(calibration, "planted") == sentence);
  CHECK(calibration.series.empty());
  CHECK(calibration.quality.points == 0);
  for (const auto& one : calibration.parameters) CHECK(one.z_score == 0);
}

TEST_CASE("a time that its source doubts moves nothing") {
  const Run run;
  auto without = run.series("small");
  auto may_be_other = without;
  std::erase_if(without, [](const Record& record) { return std::get<StepRecord>(record).gpus == 16; });
  step_at(may_be_other, 16).iteration_s *= 2;
  step_at(may_be_other, 16).head.suspect = true;
  const auto calibration = run.of(may_be_other);
  CHECK_THAT(reported(calibration, "small-ddp"), Catch::Contains("its source doubts it: 1 of its 6 times left out"));
  const auto clean = run.of(without);
  REQUIRE(calibration.parameters.size() == clean.parameters.size());
  for (std::size_t i = 0; i < clean.parameters.size(); ++i)
    CHECK(calibration.parameters[i].z_score == clean.parameters[i].z_score);
}

TEST_CASE("a time a thousand times off is a slip of the unit and does not touch the fit") {
  const Run run;
  auto without = run.series("small");
  auto mistaken = without;
  std::erase_if(without, [](const Record& record) { return std::get<StepRecord>(record).gpus == 16; });
  for (const double factor : {1000.0, 0.001}) {
    auto records = mistaken;
    step_at(records, 16).iteration_s *= factor;
    const auto calibration = run.of(records);
    CHECK_THAT(reported(calibration, "small-ddp at 16 GPUs on 4 nodes"),
               Catch::Contains("slip of the unit") && Catch::Contains(factor > 1 ? "longer" : "shorter"));
    const auto clean = run.of(without);
    REQUIRE(calibration.parameters.size() == clean.parameters.size());
    for (std::size_t i = 0; i < clean.parameters.size(); ++i)
      CHECK(calibration.parameters[i].z_score == clean.parameters[i].z_score);
  }
}

TEST_CASE("where the one-GPU time slipped the series goes, and others stay") {
  const Run run;
  auto records = run.series("small");
  std::get<StepRecord>(records[0]).iteration_s *= 1000;
  CHECK_THROWS_WITH(run.of(records), Catch::Contains("one-GPU time") && Catch::Contains("slip of the unit"));
  for (const auto& record : run.series("large")) records.push_back(record);
  const auto calibration = run.of(records);
  CHECK_THAT(reported(calibration, "small-ddp"), Catch::Contains("one-GPU time is about"));
  CHECK(calibration.series.size() == 1);
  CHECK(series_of(calibration, "large").points.size() == 6);
}

TEST_CASE("a whole series in the wrong unit contradicts what the device can do") {
  const Run run;
  auto records = run.series("small");
  for (auto& record : records) std::get<StepRecord>(record).iteration_s *= 1000;
  CHECK_THROWS_WITH(run.of(records), Catch::Contains("longer than the device allows"));
}

TEST_CASE("one run that went wrong is noted and hardly moves what is learnt") {
  const Run run;
  auto records = run.series("middle");
  const auto clean = run.of(records);
  step_at(records, 16).iteration_s *= 1.6;
  const auto calibration = run.of(records);
  CHECK_THAT(reported(calibration, "middle-ddp at 16 GPUs on 4 nodes"),
             Catch::Contains("% longer than the other points say: an outlier"));
  CHECK(calibration.excluded.size() == 1);
  const auto& points = series_of(calibration, "middle").points;
  CHECK(points[4].noise > 0.3); // ln 1.6 = 0.47, less what the fit gave way
  CHECK(points[3].noise < 0.05);
  for (const auto& one : clean.parameters) {
    INFO(one.name);
    const auto moved =
        std::find_if(calibration.parameters.begin(), calibration.parameters.end(),
                     [&](const auto& other) { return other.name == one.name && other.scope == one.scope; });
    const double z_score = moved == calibration.parameters.end() ? 0 : moved->z_score; // no longer informed
    // a square's pull of the point would be some 9 standard deviations
    CHECK(std::abs(z_score - one.z_score) < 1);
  }
}

TEST_CASE("repeats that contradict each other are noted, and count as noisy as they differ") {
  const Run run;
  auto records = run.series("small");
  auto again = step_at(records, 8);
  again.iteration_s *= 1.5;
  records.emplace_back(again);
  const auto calibration = run.of(records);
  CHECK_THAT(reported(calibration, "small-ddp at 8 GPUs on 2 nodes"),
             Catch::StartsWith("measured 2 times with times 28 % apart"));
}

TEST_CASE("ResNet-152 at 16 GPUs over MPI on Azure's P100 is noted as an outlier") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto reference = read_reference_data(data);
  const std::string cluster = "azure-nc24rs-v2-p100";
  auto files = read_cluster_measurements(data.platforms(), cluster);
  for (auto& file : files) { // the one series, so that the test is quick
    std::erase_if(file.records, [](const Record& record) {
      return head_of(record).series.find("resnet152-intelmpi") == std::string::npos &&
             head_of(record).series.find("resnet50-intelmpi") == std::string::npos;
    });
    for (auto& record : file.records) // as if its source did not doubt it, which leaves it out before
      if (auto* step = std::get_if<StepRecord>(&record)) step->head.suspect = false;
  }
  const auto calibration = calibrate(reference, cluster, files).calibration;
  CHECK_THAT(reported(calibration, "resnet152-intelmpi-ib at 16 GPUs on 4 nodes"),
             Catch::Contains("longer than the other points say: an outlier"));
}
