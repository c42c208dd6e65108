#pragma once
// What the files of a data folder say of a scenario: read once, then used by every curve of the scenario.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/ask.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// One-GPU times of a cluster. What other clusters measured takes a while to read: only where it could matter.
class OneGpuReader {
public:
  /// `read_back`: what the cluster's pipelines say of one GPU (read_back_one_gpu()). `measured` may be null: then it
  /// is read when it is needed.
  OneGpuReader(const DataFolder& data, const Cluster& cluster, std::vector<StepRecord> own,
               const std::vector<StepRecord>& read_back, const MeasuredTimes* measured);

  OneGpuEstimate find(const ComputeQuestion& question);

  /// Steps measured on the cluster itself.
  const std::vector<StepRecord>& own() const { return own_; }

private:
  DataFolder data_;
  const Cluster& cluster_;
  std::vector<StepRecord> own_;
  std::vector<StepRecord> own_and_read_back_;
  std::vector<StepRecord> borrowed_;
  const MeasuredTimes* measured_;
  MeasuredTimes read_;                     ///< where none were given
  std::unique_ptr<const OneGpuTimes> all_; ///< null: not needed so far
};

/// What make_curve() is given. Curves refer to it and must not outlive it.
class KnownFiles {
public:
  /// Throws UserError when a name is unknown. `measured`: as OneGpuReader takes it.
  KnownFiles(const Scenario& scenario, const DataFolder& data, const MeasuredTimes* measured = nullptr);
  /// Reads the files for a cluster that differs from its file: what a calibration says of another machine is left out.
  KnownFiles(const Scenario& scenario, Cluster cluster, const DataFolder& data,
             const MeasuredTimes* measured = nullptr);
  KnownFiles(const KnownFiles&) = delete;
  KnownFiles& operator=(const KnownFiles&) = delete;

  const Model& model() const { return model_; }
  const Knowledge& knowledge() const { return knowledge_; }
  const std::vector<StepRecord>& measured_steps() const { return one_gpu_->own(); }
  /// Which parts of the calibration do not hold for this cluster.
  const std::vector<std::string>& warnings() const { return warnings_; }

private:
  Model model_;
  Cluster cluster_;
  std::vector<Gpu> gpus_;
  std::vector<Preset> presets_;
  PriorBook priors_;
  std::optional<Calibration> calibration_;
  std::optional<InputCatalogue> inputs_; ///< read where the scenario names its input
  std::vector<std::string> warnings_;
  std::unique_ptr<OneGpuReader> one_gpu_;
  Knowledge knowledge_; ///< refers to the others
};

} // namespace ddlsim
