#include "sim/compute/other_clusters.hpp"

#include "sim/base/json.hpp"

#include <algorithm>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

/// Kernel tables are large, and none of their lines is a step.
bool has_steps(const fs::path& file) {
  return read_text_file(file).find("\"step\"") != std::string::npos;
}

bool lends_steps(const Borrow& borrow) {
  return std::find(borrow.kinds.begin(), borrow.kinds.end(), RecordKind::step) != borrow.kinds.end();
}

bool is_borrowed(const Cluster& cluster, const std::string& name) {
  return std::any_of(cluster.borrows.begin(), cluster.borrows.end(),
                     [&](const Borrow& borrow) { return borrow.cluster == name && lends_steps(borrow); });
}

} // namespace

std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster) {
  std::vector<StepRecord> records;
  for (const auto& borrow : cluster.borrows) {
    if (!lends_steps(borrow)) continue;
    const auto of_cluster =
        records_of<StepRecord>(read_cluster_measurements(data.platforms_of(borrow.cluster), borrow.cluster));
    records.insert(records.end(), of_cluster.begin(), of_cluster.end());
  }
  return records;
}

ModelSizes read_model_sizes(const DataFolder& data) {
  ModelSizes sizes;
  for (const auto& name : list_models(data)) sizes.emplace(name, size_of(load_model(data, name)));
  return sizes;
}

bool implies_one_gpu(const StepRecord& record) {
  return record.gpus > 1 && is_sharded(record.strategy.name) && record.mode == RunMode::train && !record.head.suspect;
}

MeasuredTimes read_measured_times(const DataFolder& data) {
  MeasuredTimes measured{{}, load_gpus(data), read_model_sizes(data)};
  for (const auto& name : list_clusters(data)) {
    auto& records = measured.of_clusters[name];
    for (const auto& file : measurement_files(data.platforms_of(name), name)) {
      if (!has_steps(file)) continue;
      for (const auto& record : records_of<StepRecord>({read_measurements(file)})) {
        if (is_one_gpu_training(record)) records.push_back(record);
        if (implies_one_gpu(record)) measured.sharded_on[name].push_back(record);
      }
    }
  }
  return measured;
}

OtherClusterTimes other_cluster_times(const MeasuredTimes& measured, const Cluster& cluster) {
  OtherClusterTimes others{{}, measured.gpus, measured.models};
  for (const auto& [name, records] : measured.of_clusters)
    if (name != cluster.name && !is_borrowed(cluster, name))
      others.records.insert(others.records.end(), records.begin(), records.end());
  return others;
}

} // namespace ddlsim
