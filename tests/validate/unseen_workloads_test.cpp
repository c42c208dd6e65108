// new-batch and new-model: what is hidden, what is asked, and that what is hidden is not seen.

#include "tests/validate/records.hpp"
#include "validate/methods/simulator.hpp"
#include "validate/unseen_workloads.hpp"
#include "validate/validation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <memory>

using namespace ddlsim::test;

namespace ddlsim {
namespace {

/// On one GPU and on two nodes, at each batch; a second of compute for 64 samples.
MeasurementFile runs_of(const std::string& cluster, const std::string& model, const std::vector<double>& batches) {
  std::vector<Record> records;
  for (const double batch : batches)
    for (const int gpus : {1, 8}) {
      auto record = step(model + std::to_string(static_cast<int>(batch)), gpus, gpus == 1 ? 1 : 2, batch / 64);
      record.model = model;
      record.batch_per_gpu = batch;
      records.emplace_back(std::move(record));
    }
  return file_of(cluster, model, std::move(records));
}

/// Cluster, model and batch of each point that a split of that name asks.
std::vector<std::string> asked(const std::vector<MeasurementFile>& files, const std::string& name,
                               const std::map<std::string, std::string>& site_of = {}) {
  const auto series = group_series(files);
  std::vector<std::string> all;
  for (const auto& split : unseen_workload_splits(files, series, site_of))
    for (const auto& part : split.parts)
      if (split.name == name)
        for (std::size_t i = 0; i < part.targets.size(); ++i) {
          const auto& one = series[part.series];
          all.push_back(one.cluster + " " + one.model + " " + std::to_string(static_cast<int>(one.batch_per_gpu)));
        }
  std::sort(all.begin(), all.end());
  return all;
}

/// The records that are shown where that workload is asked.
std::vector<StepRecord> shown_beside(const std::vector<MeasurementFile>& files, const std::string& name,
                                     const std::string& model, double batch,
                                     const std::map<std::string, std::string>& site_of = {}) {
  const auto series = group_series(files);
  for (const auto& split : unseen_workload_splits(files, series, site_of))
    for (const auto& part : split.parts)
      if (split.name == name && series[part.series].model == model && series[part.series].batch_per_gpu == batch)
        return records_of<StepRecord>(visible_files(files, split));
  return {};
}

} // namespace

TEST_CASE("a new batch hides all of its times, and is asked where another batch of the model is known") {
  const std::vector<MeasurementFile> files{runs_of("c", "resnet50_v1.5", {32, 64}), runs_of("c", "vgg16", {32})};
  CHECK(asked(files, "new-batch") == std::vector<std::string>{"c resnet50_v1.5 32", "c resnet50_v1.5 64"});
  const auto shown = shown_beside(files, "new-batch", "resnet50_v1.5", 64);
  CHECK(shown.size() == 4); // batch 32 of both models
  for (const auto& one : shown) CHECK(one.batch_per_gpu == 32);
}

TEST_CASE("variants of a model, and the site's other clusters, do not give a hidden batch away") {
  const std::vector<MeasurementFile> files{runs_of("c", "resnet50_v1.5", {32, 64}), runs_of("c", "resnet50_v2", {64}),
                                           runs_of("d", "resnet50_v1.5", {32, 64})};
  for (const auto& one : shown_beside(files, "new-batch", "resnet50_v1.5", 64, {{"c", "s"}, {"d", "s"}}))
    CHECK(one.batch_per_gpu == 32);
}

TEST_CASE("another precision, or another preset, is no other batch") {
  auto files = std::vector<MeasurementFile>{runs_of("c", "resnet50_v1.5", {32, 64})};
  for (auto& record : files[0].records) {
    auto& one = std::get<StepRecord>(record);
    if (one.batch_per_gpu == 64) one.precision = Precision::amp;
  }
  CHECK(asked(files, "new-batch").empty());
  for (auto& record : files[0].records) {
    auto& one = std::get<StepRecord>(record);
    one.precision = Precision::fp32;
    if (one.batch_per_gpu == 64) one.preset = "horovod";
  }
  CHECK(asked(files, "new-batch").empty());
}

TEST_CASE("a new model hides all its batches, and is asked where another model was run on as many nodes") {
  const std::vector<MeasurementFile> files{runs_of("c", "resnet50_v1.5", {32, 64}), runs_of("c", "vgg16", {32})};
  CHECK(asked(files, "new-model") ==
        std::vector<std::string>{"c resnet50_v1.5 32", "c resnet50_v1.5 64", "c vgg16 32"});
  for (const auto& one : shown_beside(files, "new-model", "resnet50_v1.5", 64)) CHECK(one.model == "vgg16");
  auto one_node = runs_of("c", "vgg16", {32});
  for (auto& record : one_node.records) std::get<StepRecord>(record).nodes = 1;
  CHECK(asked({files[0], one_node}, "new-model") == std::vector<std::string>{"c vgg16 32"});
  CHECK(asked({files[0]}, "new-model").empty());
}

TEST_CASE("suspect times and layouts are hidden and not asked") {
  auto files = std::vector<MeasurementFile>{runs_of("c", "resnet50_v1.5", {32, 64}), runs_of("c", "vgg16", {32})};
  std::get<StepRecord>(files[0].records[1]).head.suspect = true;
  CHECK(asked(files, "new-batch") == std::vector<std::string>{"c resnet50_v1.5 64"});
  for (const auto& one : shown_beside(files, "new-model", "resnet50_v1.5", 64)) CHECK(one.model == "vgg16");
  std::get<StepRecord>(files[0].records[3]).strategy = Strategy{StrategyName::model_parallel, {}};
  CHECK(asked(files, "new-batch").empty());
}

namespace {

const ReferenceData& known_reference() {
  static const auto read = read_reference_data(DataFolder{DDLSIM_SOURCE_DIR});
  return read;
}

/// MPT-13B on 32 GPUs of mosaic-a100-40gb at three batches, in place of what was measured of it there: a second a sample
/// and 0.3 s that do not grow with the batch.
std::vector<MeasurementFile> with_planted_mpt(double factor_of_14) {
  auto files = read_cluster_measurements(DataFolder{DDLSIM_SOURCE_DIR}.platforms(), "mosaic-a100-40gb");
  std::optional<StepRecord> like;
  std::vector<Record>* of_like = nullptr;
  for (auto& file : files)
    std::erase_if(file.records, [&](const Record& record) {
      const auto* one = std::get_if<StepRecord>(&record);
      if (one == nullptr || one->model != "mpt_13b_seq2048") return false;
      if (one->gpus == 32) {
        like = *one;
        of_like = &file.records;
      }
      return true;
    });
  for (const int batch : {13, 14, 15}) {
    auto planted = like.value();
    planted.head.series = "planted " + std::to_string(batch);
    planted.batch_per_gpu = batch;
    planted.iteration_s = (0.3 + 1.0 * batch) * (batch == 14 ? factor_of_14 : 1);
    of_like->emplace_back(planted);
  }
  return files;
}

ScoredPoint answer_at_14(double factor_of_14) {
  std::vector<std::unique_ptr<Method>> methods;
  methods.push_back(make_simulator(known_reference()));
  ValidationOptions options;
  options.splits = {"new-batch"};
  options.wanted = [](const Series& series) { return series.name == "planted 14"; };
  const auto result = validate_measurements(with_planted_mpt(factor_of_14), methods, options);
  REQUIRE(result.points.size() == 1);
  return result.points.front();
}

} // namespace

TEST_CASE("MPT-13B measured at micro-batch 13 and 15 answers 14 within 5 %, and has not seen it") {
  const auto point = answer_at_14(1);
  const auto& forecast = point.forecasts.at("ddlsim");
  CHECK(std::abs(std::log(forecast.predicted_s / point.measured_s)) < 0.05);
  CHECK(forecast.low_s < point.measured_s);
  CHECK(forecast.high_s > point.measured_s);
  const auto other = answer_at_14(1.5).forecasts.at("ddlsim"); // the hidden time is another, the answer is the same
  CHECK(other.predicted_s == forecast.predicted_s);
  CHECK(other.low_s == forecast.low_s);
  CHECK(other.high_s == forecast.high_s);
}

} // namespace ddlsim
