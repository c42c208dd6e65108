#pragma once
// The contents of a data folder that matter for a scenario. They are read once, and every curve of the scenario uses
// them.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/ask.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Finds one-GPU times for a cluster. Reading the measurements of other clusters is slow, so they are read only when
/// they could matter.
class OneGpuReader {
public:
  /// `read_back` holds one-GPU records that were derived from the cluster's pipeline runs (read_back_one_gpu()).
  /// `measured` may be null; it is then read when a question needs it.
  OneGpuReader(const DataFolder& data, const Cluster& cluster, std::vector<StepRecord> own,
               const std::vector<StepRecord>& read_back, const MeasuredTimes* measured);

  OneGpuEstimate find(const ComputeQuestion& question);

  /// Step records measured on the cluster itself.
  const std::vector<StepRecord>& own() const { return own_; }

private:
  DataFolder data_;
  const Cluster& cluster_;
  std::vector<StepRecord> own_;
  std::vector<StepRecord> own_and_read_back_;
  std::vector<StepRecord> borrowed_;
  const MeasuredTimes* measured_;
  MeasuredTimes read_;                     ///< times that are read here if `measured_` is null
  std::unique_ptr<const OneGpuTimes> all_; ///< one-GPU times, computed when a question first needs them; null before
};

/// The knowledge that make_curve() takes. Curves refer to it, so it must outlive them.
class KnownFiles {
public:
  /// Throws UserError when a name is unknown. `measured` may be null, as for OneGpuReader.
  KnownFiles(const Scenario& scenario, const DataFolder& data, const MeasuredTimes* measured = nullptr);
  /// Reads the files for a `cluster` that differs from its file. Parts of the calibration that belong to the changed
  /// hardware are left out.
  KnownFiles(const Scenario& scenario, Cluster cluster, const DataFolder& data,
             const MeasuredTimes* measured = nullptr);
  KnownFiles(const KnownFiles&) = delete;
  KnownFiles& operator=(const KnownFiles&) = delete;

  const Model& model() const { return model_; }
  const Knowledge& knowledge() const { return knowledge_; }
  const std::vector<StepRecord>& measured_steps() const { return one_gpu_->own(); }
  /// Sentences on the parts of the calibration that do not hold for this cluster.
  const std::vector<std::string>& warnings() const { return warnings_; }

private:
  Model model_;
  Cluster cluster_;
  std::vector<Gpu> gpus_;
  std::vector<Preset> presets_;
  PriorBook priors_;
  std::optional<Calibration> calibration_;
  std::optional<InputCatalogue> inputs_; ///< read if the scenario names its input
  std::vector<std::string> warnings_;
  std::unique_ptr<OneGpuReader> one_gpu_;
  Knowledge knowledge_; ///< refers to the members above
};

} // namespace ddlsim
