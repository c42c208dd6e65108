#pragma once
// One-GPU times that were measured on other clusters.

#include "sim/compute/batch_line_fit.hpp"
#include "sim/compute/deviation.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/record.hpp"

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Sizes of models by name.
using ModelSizes = std::map<std::string, ModelSize>;

/// Returns the catalogue's name for a GPU or one of its aliases; `name` itself where the catalogue has neither.
std::string catalogue_name(const std::vector<Gpu>& gpus, const std::string& name);

/// Returns whether the record is of training on one GPU, and not suspect.
bool is_one_gpu_training(const StepRecord& record);

/// Returns whether the record is of one worker with a parameter server, so that its time includes pushes and pulls.
bool has_server(const StepRecord& record);
/// Returns the same for a server over a network. A run without synchronisation needs no server, whatever strategy its
/// series has.
bool has_server_elsewhere(const StepRecord& record);

/// Measurements of clusters other than the question's own and those it borrows from, and the catalogue by which they
/// are compared.
struct OtherClusterTimes {
  std::vector<StepRecord> records;
  std::vector<Gpu> gpus; ///< the catalogue; empty: only records of the question's GPU count
  ModelSizes models;
  KernelRateBook kernels{};
  /// Returns one-GPU times that are read back from runs on several GPUs (sim/predict/read_back.hpp); it is called once
  /// a question needs them, and may be empty. They count for models with attention only.
  std::function<std::vector<StepRecord>()> read_back{};
  DeviationSizes deviations{}; ///< by how much times deviate from the kernel model
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
  KernelRateBook kernels{};
  /// For each cluster, the runs on several GPUs that can be read back.
  std::map<std::string, std::vector<StepRecord>> spread_on{};
};
MeasuredTimes read_measured_times(const DataFolder& data);

/// Returns the measured times without those of `cluster` and of the clusters it borrows from.
OtherClusterTimes other_cluster_times(const MeasuredTimes& measured, const Cluster& cluster);

/// Reads the sizes of all models that have a layer table.
ModelSizes read_model_sizes(const DataFolder& data);

} // namespace ddlsim
