#pragma once
// One-GPU times that were measured on other clusters.

#include "sim/compute/batch_curve.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Measurements of other clusters (neither the question's own nor those that it borrows from), and the catalogue by
/// which they are compared.
struct OtherClusterTimes {
  std::vector<StepRecord> records;
  std::vector<Gpu> gpus; ///< the catalogue; empty: only records of the question's GPU count
  ModelSizes models;
  /// Returns one-GPU times that are read back from runs on several GPUs (sim/predict/read_back.hpp). It is called when
  /// a question first needs them, and may be empty. The times are blended like records, but only for models of their
  /// own family.
  std::function<std::vector<StepRecord>()> read_back{};
};

/// Returns the step records of the clusters that `cluster` borrows `step` from.
std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster);

/// Returns whether the record is of sharded training on several GPUs, whose model rarely fits on one GPU. Pipeline runs
/// are used only for their own cluster: how much time is taken off depends on micro-batch and network, which their
/// records do not state.
bool can_be_read_back(const StepRecord& record);

/// The data that many questions share: one-GPU training records of all clusters, runs that can be read back, the
/// catalogue, and the sizes of the models that have a layer table.
struct MeasuredTimes {
  std::map<std::string, std::vector<StepRecord>> of_clusters;
  std::vector<Gpu> gpus;
  ModelSizes models;
  /// For each cluster, the runs on several GPUs that can be read back.
  std::map<std::string, std::vector<StepRecord>> spread_on{};
};
MeasuredTimes read_measured_times(const DataFolder& data);

/// Returns the measured times without those of `cluster` and of the clusters it borrows from.
OtherClusterTimes other_cluster_times(const MeasuredTimes& measured, const Cluster& cluster);

/// Reads the sizes of all models that have a layer table.
ModelSizes read_model_sizes(const DataFolder& data);

} // namespace ddlsim
