#pragma once
// The location of the shipped files: platforms/ and scenarios/ in one root folder.

#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/model_constants.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior_book.hpp"

#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct DataFolder;

/// Returns a cluster's calibration for the current files of the data folder; nothing when no record determines a
/// parameter.
using CalibrationSource = std::function<std::optional<Calibration>(const DataFolder& data, const std::string& cluster)>;

struct DataFolder {
  std::filesystem::path root;
  std::map<std::string, std::filesystem::path> own_models{};   ///< a user's own models: name -> layer table
  std::map<std::string, std::filesystem::path> own_clusters{}; ///< name -> folder of that name with its cluster.json
  std::map<std::string, std::filesystem::path> own_gpus{}; ///< name -> file with one entry, in the catalogue's format
  CalibrationSource calibrations{}; ///< makes and stores calibrations; empty: only priors are used
  std::filesystem::path platforms() const { return root / "platforms"; }
  std::filesystem::path kernels() const { return root / "platforms" / "kernels"; }
  std::filesystem::path kernel_rates() const { return root / "platforms" / "kernel-rates.json"; }
  std::filesystem::path scenarios() const { return root / "scenarios"; }
  std::filesystem::path models() const { return root / "scenarios" / "models"; }
  std::filesystem::path inputs() const { return root / "scenarios" / "inputs.json"; }
  std::filesystem::path convergence() const { return root / "scenarios" / "convergence"; }
  std::filesystem::path model_file(const std::string& name) const; ///< path of the file, whether it exists or not
  /// Returns the folder that holds the cluster's folder: platforms(), except for a user's own cluster.
  std::filesystem::path platforms_of(const std::string& cluster) const;
};

std::vector<std::string> list_models(const DataFolder& data);      ///< names, sorted, including the user's own models
std::vector<std::string> list_clusters(const DataFolder& data);    ///< names, sorted, including the user's own clusters
std::vector<std::string> list_convergence(const DataFolder& data); ///< names, sorted

/// Each function loads by name and throws UserError, which offers the nearest name and lists those that exist.
Model load_model(const DataFolder& data, const std::string& name);
Cluster load_cluster(const DataFolder& data, const std::string& name);
Convergence load_convergence(const DataFolder& data, const std::string& name);
std::vector<Gpu> load_gpus(const DataFolder& data); ///< the catalogue, followed by the user's own GPUs
/// presets of the file, followed by the stand-in for unnamed frameworks
std::vector<Preset> load_presets(const DataFolder& data);
InputCatalogue load_inputs(const DataFolder& data);
PriorBook load_priors(const DataFolder& data);
KernelRateBook load_kernel_rates(const DataFolder& data);
std::vector<std::filesystem::path> list_kernel_files(const DataFolder& data); ///< of kernels(), sorted
/// Returns the cluster's calibration from the data folder's `calibrations`; nothing when it has none.
std::optional<Calibration> load_calibration(const DataFolder& data, const std::string& cluster);

// The shipped catalogue, presets, priors, models and clusters, read once for many questions.

struct ReferenceData {
  std::vector<Gpu> gpus;
  std::vector<Preset> presets;
  PriorBook priors;
  std::map<std::string, Model> models;
  std::map<std::string, Cluster> clusters;
  KernelRateBook kernels{};
  ModelConstants constants{};
  std::vector<std::string> left_out_deviations{}; ///< names of leave_out_deviation(); only to measure what one gives
};

ReferenceData read_reference_data(const DataFolder& data);

} // namespace ddlsim
