// Every shipped record over several GPUs is of a stack that can be asked: a preset of its name, and a transport that
// the cluster and the preset share.

#include "calibrate/data/fit_data.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <memory>
#include <set>

using namespace ddlsim;

namespace {

std::vector<MeasurementFile> shipped_files(const DataFolder& data) {
  std::vector<MeasurementFile> files;
  for (const auto& cluster : list_clusters(data))
    for (auto& file : read_cluster_measurements(data.platforms(), cluster)) files.push_back(std::move(file));
  return files;
}

bool has_several_gpus(const Series& series) {
  return std::any_of(series.points.begin(), series.points.end(),
                     [](const SeriesPoint& point) { return point.gpus > 1; });
}

} // namespace

TEST_CASE("a shipped series over several GPUs is fitted but for models without a layer table and model parallelism") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto reference = read_reference_data(data);
  const auto files = shipped_files(data);
  const auto all = group_series(files);
  std::set<std::string> unknown_models;
  int timed = 0;
  for (const auto& [name, cluster] : reference.clusters) {
    const auto one_gpu_times = one_gpu_times_of(reference, cluster, files);
    for (const auto& series : all) {
      if (series.cluster != name || !has_several_gpus(series)) continue;
      if (reference.models.count(series.model) == 0) {
        unknown_models.insert(series.model);
        continue;
      }
      INFO(series.id);
      const auto fit_data = series_data(reference, priors_for(reference.priors), series, *one_gpu_times);
      CHECK(fit_data.has_value() != is_model_parallel(series.strategy_name)); // which is read back, not fitted
      timed += fit_data ? 1 : 0;
    }
  }
  CHECK(timed > 200);
  CHECK(unknown_models.size() < 40);
  for (const char* known : {"unet_industrial", "ssd320_fpn", "googlenet_256"}) CHECK(unknown_models.count(known) == 0);
}
