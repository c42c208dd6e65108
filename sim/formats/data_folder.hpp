#pragma once
// Where the shipped files lie: platforms/ and scenarios/ of one root folder.

#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
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

/// A cluster's calibration for the files of the data folder as they are; nothing where no record teaches anything.
using CalibrationSource = std::function<std::optional<Calibration>(const DataFolder& data, const std::string& cluster)>;

struct DataFolder {
  std::filesystem::path root;
  std::map<std::string, std::filesystem::path> own_models{};   ///< a user's own: name -> layer table
  std::map<std::string, std::filesystem::path> own_clusters{}; ///< name -> folder of that name, with its cluster.json
  std::map<std::string, std::filesystem::path> own_gpus{};     ///< name -> file of one entry, as the catalogue has them
  CalibrationSource calibrations{};                            ///< fits and keeps them; empty: there are only priors
  std::filesystem::path platforms() const { return root / "platforms"; }
  std::filesystem::path scenarios() const { return root / "scenarios"; }
  std::filesystem::path models() const { return root / "scenarios" / "models"; }
  std::filesystem::path inputs() const { return root / "scenarios" / "inputs.json"; }
  std::filesystem::path convergence() const { return root / "scenarios" / "convergence"; }
  std::filesystem::path model_file(const std::string& name) const; ///< where it is, or would be
  /// The folder that holds the cluster's folder: platforms() for all but a user's own.
  std::filesystem::path platforms_of(const std::string& cluster) const;
};

std::vector<std::string> list_models(const DataFolder& data);      ///< names, sorted, own ones among them
std::vector<std::string> list_clusters(const DataFolder& data);    ///< names, sorted, own ones among them
std::vector<std::string> list_convergence(const DataFolder& data); ///< names, sorted

/// By name; throws UserError offering the nearest name and listing those there are.
Model load_model(const DataFolder& data, const std::string& name);
Cluster load_cluster(const DataFolder& data, const std::string& name);
Convergence load_convergence(const DataFolder& data, const std::string& name);
std::vector<Gpu> load_gpus(const DataFolder& data);       ///< the catalogue, and a user's own behind it
std::vector<Preset> load_presets(const DataFolder& data); ///< and behind them the stand-in for unnamed frameworks
InputCatalogue load_inputs(const DataFolder& data);
PriorBook load_priors(const DataFolder& data);
/// What the data folder's source of calibrations has of the cluster.
std::optional<Calibration> load_calibration(const DataFolder& data, const std::string& cluster);

// The shipped catalogue, presets, priors, models and clusters, read once.

struct ReferenceData {
  std::vector<Gpu> gpus;
  std::vector<Preset> presets;
  PriorBook priors;
  std::map<std::string, Model> models;
  std::map<std::string, Cluster> clusters;
  ModelConstants constants{};
};

ReferenceData read_reference_data(const DataFolder& data);

} // namespace ddlsim
