#pragma once
// Where the shipped files lie: platforms/ and scenarios/ of one root folder.

#include "sim/formats/calibration.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/convergence.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/inputs.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

struct DataFolder {
  std::filesystem::path root;
  std::filesystem::path platforms() const { return root / "platforms"; }
  std::filesystem::path scenarios() const { return root / "scenarios"; }
  std::filesystem::path models() const { return root / "scenarios" / "models"; }
  std::filesystem::path inputs() const { return root / "scenarios" / "inputs.json"; }
  std::filesystem::path convergence() const { return root / "scenarios" / "convergence"; }
};

std::vector<std::string> list_models(const DataFolder& data);      ///< names, sorted
std::vector<std::string> list_clusters(const DataFolder& data);    ///< names, sorted
std::vector<std::string> list_convergence(const DataFolder& data); ///< names, sorted

/// By name; throws UserError offering the nearest name and listing those there are.
Model load_model(const DataFolder& data, const std::string& name);
Cluster load_cluster(const DataFolder& data, const std::string& name);
Convergence load_convergence(const DataFolder& data, const std::string& name);
std::vector<Gpu> load_gpus(const DataFolder& data);
std::vector<Preset> load_presets(const DataFolder& data);
InputCatalogue load_inputs(const DataFolder& data);
std::vector<Prior> load_priors(const DataFolder& data);
/// Nothing when the cluster was never calibrated.
std::optional<Calibration> load_calibration(const DataFolder& data, const std::string& cluster);

} // namespace ddlsim
