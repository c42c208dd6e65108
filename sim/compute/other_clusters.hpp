#pragma once
// One-GPU times that other clusters measured.

#include "sim/compute/batch_curve.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// What was measured on clusters other than the question's own and those it borrows from, and the catalogue to compare
/// them by.
struct OtherClusterTimes {
  std::vector<StepRecord> records;
  std::vector<Gpu> gpus; ///< empty: only records of the question's GPU count
  ModelSizes models;
  /// One-GPU times that are read back from runs on several GPUs (sim/predict/read_back.hpp), once a question needs them;
  /// may be empty. Blended like records, for models of their own family alone.
  std::function<std::vector<StepRecord>()> read_back{};
};

/// Step records of the clusters that `cluster` borrows `step` from.
std::vector<StepRecord> borrowed_steps(const DataFolder& data, const Cluster& cluster);

/// True of training on several GPUs, sharded: such a model rarely runs on one. Pipelines speak for their own cluster
/// alone: what their records do not state, micro-batch and network, decides how much is taken off.
bool can_be_read_back(const StepRecord& record);

/// One-GPU training records of all clusters, runs that can be read back, the catalogue, and the sizes of the models with
/// a layer table: what many questions share.
struct MeasuredTimes {
  std::map<std::string, std::vector<StepRecord>> of_clusters;
  std::vector<Gpu> gpus;
  ModelSizes models;
  /// For each cluster: the runs that can be read back.
  std::map<std::string, std::vector<StepRecord>> spread_on{};
};
MeasuredTimes read_measured_times(const DataFolder& data);

/// Without those of `cluster` and of the clusters it borrows from.
OtherClusterTimes other_cluster_times(const MeasuredTimes& measured, const Cluster& cluster);

/// The sizes of all models with a layer table.
ModelSizes read_model_sizes(const DataFolder& data);

} // namespace ddlsim
