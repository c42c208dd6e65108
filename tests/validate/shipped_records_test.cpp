// The protocol over the records that are shipped: no leak in any split, and the baselines' figures as they were published
// in the project's design (mean over points of |measured / predicted - 1|, nine sources calibrated up to the first
// multi-node scale).

#include "sim/formats/data_folder.hpp"
#include "validate/methods/baselines.hpp"
#include "validate/validation.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ddlsim {
namespace {

const std::vector<MeasurementFile>& shipped() {
  static const auto files = [] {
    const DataFolder data{DDLSIM_SOURCE_DIR};
    std::vector<MeasurementFile> all;
    for (const auto& cluster : list_clusters(data))
      for (auto& file : read_cluster_measurements(data.platforms(), cluster)) all.push_back(std::move(file));
    return all;
  }();
  return files;
}

const std::vector<Series>& shipped_series() {
  static const auto series = group_series(shipped());
  return series;
}

/// What an unseen workload is recognised by.
struct ShownWorkload {
  std::string cluster, family;
  std::string preset; ///< "" where the split hides every preset
  double batch_per_gpu = 0;
  auto operator<=>(const ShownWorkload&) const = default;
};

/// Series, scale and time that distinguish one published figure from another.
struct Figure {
  std::string cluster, model;
  StrategyName strategy = StrategyName::none;
  std::string preset;
  double batch = 0, iteration_s = 0;
  int gpus = 0;
  auto operator<=>(const Figure&) const = default;
};

/// new-batch and new-model.
bool is_unseen(const Split& split) {
  return split.name == "new-batch" || split.name == "new-model";
}

Figure figure_of(const StepRecord& record, const std::string& cluster) {
  return {cluster,    record.model, record.strategy.name, record.preset, record.batch_per_gpu, record.iteration_s,
          record.gpus};
}

} // namespace

TEST_CASE("shipped records: every multi-node training record is in a series") {
  std::set<RecordIndex> grouped;
  for (const auto& series : shipped_series()) {
    grouped.insert(series.one_gpu_records.begin(), series.one_gpu_records.end());
    for (const auto& point : series.points) grouped.insert(point.records.begin(), point.records.end());
  }
  RecordIndex index = 0;
  for (const auto& file : shipped())
    for (const auto& record : file.records) {
      const auto* step = std::get_if<StepRecord>(&record);
      if (step != nullptr && step->mode == RunMode::train && step->gpus > 1 && !step->head.suspect)
        CHECK(grouped.count(index) == 1);
      ++index;
    }
  CHECK(grouped.size() > 1000);
}

TEST_CASE("shipped records: no record is on both sides of a split") {
  const auto splits = make_splits(shipped(), shipped_series());
  CHECK(splits.size() > 20);
  for (const auto& split : splits) {
    if (split.name == "as-shipped") continue; // which asks for what it shows
    for (const auto& part : split.parts) {
      const auto& points = shipped_series()[part.series].points;
      for (const auto target : part.targets)
        for (const auto record : points[target].records) REQUIRE_FALSE(split.visible_records[record]);
      for (const auto visible : part.visible)
        for (const auto record : points[visible].records) REQUIRE(split.visible_records[record]);
      // Leaving a model or schedule out drops the points that nothing could be carried over to.
      const bool drops = split.name == "leave-one-model-out" || split.name == "leave-one-strategy-out";
      const bool asks_a_part = split.name == "as-shipped-without" || is_unseen(split);
      const auto may_be_other =
          std::count_if(points.begin(), points.end(), [](const auto& point) { return point.suspect; });
      CHECK((drops || asks_a_part ||
             part.targets.size() + part.visible.size() + static_cast<std::size_t>(may_be_other) >= points.size()));
    }
  }
}

TEST_CASE("shipped records: no figure that is asked for stands in a visible record of another series") {
  for (const auto& split : make_splits(shipped(), shipped_series())) {
    std::set<Figure> visible;
    for (const auto& file : visible_files(shipped(), split))
      for (const auto& record : records_of<StepRecord>({file})) visible.insert(figure_of(record, file.context.cluster));
    RecordIndex index = 0;
    for (const auto& file : shipped())
      for (const auto& record : file.records)
        if (const auto* step = std::get_if<StepRecord>(&record); !split.visible_records[index++] && step != nullptr)
          CHECK(visible.count(figure_of(*step, file.context.cluster)) == 0);
  }
}

TEST_CASE("shipped records: nothing of a workload that is asked as unseen is shown, and most clusters take part") {
  std::set<std::string> asked_of;
  for (const auto& split : make_splits(shipped(), shipped_series())) {
    if (!is_unseen(split)) continue;
    std::set<ShownWorkload> shown;
    for (const auto& file : visible_files(shipped(), split))
      for (const auto& step : records_of<StepRecord>({file}))
        if (step.mode == RunMode::train) {
          const bool by_batch = split.name == "new-batch";
          shown.insert({file.context.cluster, model_family(step.model), by_batch ? step.preset : "",
                        by_batch ? step.batch_per_gpu : 0});
        }
    for (const auto& part : split.parts) {
      const auto& series = shipped_series()[part.series];
      const bool by_batch = split.name == "new-batch";
      CHECK(shown.count({series.cluster, model_family(series.model), by_batch ? series.preset : "",
                         by_batch ? series.batch_per_gpu : 0}) == 0);
      asked_of.insert(split.name + " " + series.cluster);
    }
  }
  CHECK(asked_of.count("new-batch mosaic-a100-40gb") == 1);
  CHECK(asked_of.count("new-model lambda-v100-32gb") == 1);
  CHECK(asked_of.size() > 40);
}

TEST_CASE("shipped records: tiers show what they say") {
  for (const auto& split : make_splits(shipped(), shipped_series())) {
    if (!split.left_out.empty() || split.name == "as-shipped" || split.name.starts_with("layouts-")) continue;
    const int shown = split.name.back() - '1'; // of T1, new-T1, ...
    for (const auto& part : split.parts) {
      const auto& points = shipped_series()[part.series].points;
      CHECK(std::count_if(part.visible.begin(), part.visible.end(), [&](auto p) { return points[p].nodes > 1; }) ==
            shown);
      for (const auto target : part.targets)
        for (const auto visible : part.visible) CHECK(points[visible].gpus < points[target].gpus);
    }
  }
}

TEST_CASE("shipped records: noise of the Azure sets as read from sibling models") {
  // Mean of |d - median d| / sqrt 2 over ResNet v1 against v2.
  const std::map<std::pair<std::string, std::string>, double> expected{
      {{"azure-nc24rs-v2-p100", "mpi-ib"}, 0.0045}, {{"azure-nc24rs-v2-p100", "nccl-tcp"}, 0.008},
      {{"azure-nc24rs-v3-v100", "mpi-ib"}, 0.008},  {{"azure-nc24rs-v3-v100", "nccl-tcp"}, 0.023},
      {{"azure-nc24r-k80", "mpi-ib"}, 0.0034},      {{"azure-nc24r-k80", "nccl-tcp"}, 0.106}};
  const auto noise = noise_of(shipped_series());
  std::size_t found = 0;
  for (std::size_t i = 0; i < noise.size(); ++i) {
    const auto set = expected.find({shipped_series()[i].cluster, shipped_series()[i].transport});
    if (set == expected.end()) continue;
    ++found;
    CHECK(noise[i].relative == Approx(set->second).epsilon(0.02));
  }
  CHECK(found == 34);
}

namespace {

/// The nine sources whose multi-node series go past their first multi-node scale; DLPerf's lists of repeated runs are
/// no table of theirs.
bool in_design_figures(const ScoredPoint& point) {
  static const std::set<std::string> files{"azure-batchai-horovod-k80",
                                           "azure-batchai-horovod-p100",
                                           "azure-batchai-horovod-v100",
                                           "hkbu-ddl-benchmarks-2020",
                                           "mxnet-readme-k80-256gpu-dist-device-sync",
                                           "bugliarello-aws-p2.xlarge-k80",
                                           "bugliarello-aws-p2.8xlarge-k80",
                                           "tf-benchmarks-k80-ec2-distributed-ps",
                                           "dlperf-v100"};
  return files.count(point.file) > 0 && point.series.find("-runs") == std::string::npos;
}

using Key = std::pair<std::string, std::string>; ///< method, file; "" for all files

std::map<Key, std::vector<double>> design_errors() {
  ValidationOptions options;
  options.splits = {"T2"};
  std::map<Key, std::vector<double>> errors;
  for (const auto& point : validate_measurements(shipped(), make_baselines({}), options).points)
    for (const auto& [method, forecast] : point.forecasts)
      if (in_design_figures(point))
        for (const auto& file : {std::string(), point.file})
          errors[{method, file}].push_back(std::abs(point.measured_s / forecast.predicted_s - 1));
  return errors;
}

} // namespace

TEST_CASE("shipped records: the baselines' figures, in the measure of their first table") {
  const auto errors = design_errors();
  const auto percent = [&](const std::string& method, const std::string& file) {
    return 100 * mean(errors.at({method, file}));
  };
  CHECK(errors.at({"straight-line", ""}).size() == 219);
  CHECK(percent("straight-line", "") == Approx(12.9).margin(0.05));
  CHECK(percent("linear", "") == Approx(175.8).margin(0.5));
  CHECK(percent("straight-line", "dlperf-v100") == Approx(3.2).margin(0.05));
  CHECK(percent("straight-line", "mxnet-readme-k80-256gpu-dist-device-sync") == Approx(2.3).margin(0.05));
  CHECK(percent("straight-line", "hkbu-ddl-benchmarks-2020") == Approx(10.8).margin(0.1));
  CHECK(percent("straight-line", "azure-batchai-horovod-p100") == Approx(10.9).margin(0.1));
  CHECK(percent("straight-line", "azure-batchai-horovod-k80") == Approx(24).margin(0.5));
  CHECK(percent("straight-line", "bugliarello-aws-p2.xlarge-k80") == Approx(58).margin(0.5));
  // How the design fitted these two laws is not recorded: 30 and 44 there. Residuals of rate, time or log time give
  // 29.0 to 32.1 and 40.6 to 43.1 on the same points.
  CHECK(percent("amdahl", "") == Approx(28.9).margin(0.5));
  CHECK(percent("usl", "") == Approx(42.1).margin(0.5));
}

} // namespace ddlsim
