#include "calibrate/cache/fit_inputs.hpp"

#include "sim/base/text_file.hpp"
#include "sim/formats/own_files.hpp"

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Adds a file's name and content to the checksum. The name matters because a renamed file gives its records another
/// name.
void take_named(Fnv1a& hash, const std::string& name, const fs::path& file) {
  hash.take(name + "\n");
  hash.take_file(file);
}

void take_cluster(Fnv1a& hash, const DataFolder& data, const std::string& cluster) {
  const auto platforms = data.platforms_of(cluster);
  take_named(hash, cluster, platforms / cluster / "cluster.json");
  for (const auto& file : measurement_files(platforms, cluster)) take_named(hash, file.filename().string(), file);
}

bool teaches(const Record& record) {
  return std::holds_alternative<StepRecord>(record) || std::holds_alternative<CollectiveRecord>(record) ||
         std::holds_alternative<PointToPointRecord>(record);
}

} // namespace

DataFolder data_of_fit(const DataFolder& data, const std::string& cluster) {
  const DataFolder shipped{data.root};
  const auto own = data.own_clusters.find(cluster);
  return own == data.own_clusters.end() ? shipped : with_own_cluster(shipped, own->second);
}

std::string fit_inputs(const DataFolder& data, const std::string& cluster) {
  const auto of_fit = data_of_fit(data, cluster);
  Fnv1a hash;
  hash.take(model_version());
  take_named(hash, "gpus", of_fit.platforms() / "gpus.json");
  take_named(hash, "priors", of_fit.platforms() / "priors.json");
  if (std::filesystem::exists(of_fit.kernel_rates())) take_named(hash, "kernel rates", of_fit.kernel_rates());
  take_named(hash, "presets", of_fit.scenarios() / "presets.json");
  for (const auto& [name, file] : of_fit.own_gpus) take_named(hash, name, file);
  for (const auto& name : list_models(of_fit)) take_named(hash, name, of_fit.model_file(name));
  for (const auto& name : list_clusters(of_fit)) take_cluster(hash, of_fit, name);
  return hash.text();
}

std::size_t count_fitted_records(const DataFolder& data, const std::string& cluster) {
  std::size_t count = 0;
  for (const auto& name : fitted_clusters(load_cluster(data, cluster)))
    for (const auto& file : read_cluster_measurements(data.platforms_of(name), name))
      count += static_cast<std::size_t>(std::count_if(file.records.begin(), file.records.end(), teaches));
  return count;
}

std::vector<MeasurementFile> all_records(const DataFolder& data) {
  std::vector<MeasurementFile> files;
  for (const auto& cluster : list_clusters(data))
    for (auto& file : read_cluster_measurements(data.platforms_of(cluster), cluster)) files.push_back(std::move(file));
  return files;
}

Calibrated fit_from_files(const DataFolder& data, const std::string& cluster, int threads) {
  const auto of_fit = data_of_fit(data, cluster);
  const auto inputs = fit_inputs(of_fit, cluster);
  auto calibrated = calibrate(read_reference_data(of_fit), cluster, all_records(of_fit), threads);
  calibrated.calibration.inputs = inputs;
  return calibrated;
}

} // namespace ddlsim
