#include "sim/formats/data_folder.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/own_files.hpp"
#include "sim/formats/stand_in_preset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace ddlsim {
namespace fs = std::filesystem;
namespace {

/// Returns the entries of a folder in any order; none when the folder is missing.
std::vector<fs::path> entries(const fs::path& folder) {
  std::vector<fs::path> paths;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    paths.push_back(it->path());
  return paths;
}

[[noreturn]] void refuse_unknown(const std::string& kind, const std::string& name, const fs::path& folder,
                                 const std::vector<std::string>& names) {
  throw UserError("", "", fmt::format("{} (in {})", unknown_name_text(kind, name, names, names), folder.string()));
}

/// Returns the names of the JSON files in a folder, sorted.
std::vector<std::string> json_names(const fs::path& folder) {
  std::vector<std::string> names;
  for (const auto& path : entries(folder))
    if (path.extension() == ".json") names.push_back(path.stem().string());
  std::sort(names.begin(), names.end()); // the order with ".json" may be different
  return names;
}

[[noreturn]] void refuse_other_name(const fs::path& file, const std::string& found, const std::string& expected,
                                    const char* after) {
  throw UserError(file.string(), "/name",
                  fmt::format("{} found, \"{}\" expected after the {}; rename one", in_quotes(found), expected, after));
}

/// Adds the names of a user's own files, without repeats.
std::vector<std::string> with_own(std::vector<std::string> names, const std::map<std::string, fs::path>& own) {
  for (const auto& [name, file] : own)
    if (!is_in(names, name)) names.push_back(name);
  std::sort(names.begin(), names.end());
  return names;
}

} // namespace

fs::path DataFolder::model_file(const std::string& name) const {
  const auto own = own_models.find(name);
  return own == own_models.end() ? models() / (name + ".json") : own->second;
}

fs::path DataFolder::platforms_of(const std::string& cluster) const {
  const auto own = own_clusters.find(cluster);
  return own == own_clusters.end() ? platforms() : own->second.parent_path();
}

std::vector<std::string> list_models(const DataFolder& data) {
  return with_own(json_names(data.models()), data.own_models);
}

std::vector<std::string> list_convergence(const DataFolder& data) {
  return json_names(data.convergence());
}

std::vector<std::string> list_clusters(const DataFolder& data) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& path : entries(data.platforms()))
    if (fs::is_regular_file(path / "cluster.json", ignored)) names.push_back(path.filename().string());
  return with_own(std::move(names), data.own_clusters);
}

Model load_model(const DataFolder& data, const std::string& name) {
  const auto variants = variants_of_bare_name(name);
  if (!variants.empty()) {
    throw UserError("", "",
                    fmt::format("model {} leaves open which variant is meant; give one of {}", in_quotes(name),
                                join_names(variants)));
  }
  const auto names = list_models(data);
  if (!is_in(names, name)) refuse_unknown("model", name, data.models(), names);
  const fs::path file = data.model_file(name);
  Model model = read_model(file);
  if (model.name != name) refuse_other_name(file, model.name, name, "file's name");
  return model;
}

Cluster load_cluster(const DataFolder& data, const std::string& name) {
  const auto names = list_clusters(data);
  if (!is_in(names, name)) refuse_unknown("cluster", name, data.platforms(), names);
  const fs::path file = data.platforms_of(name) / name / "cluster.json";
  Cluster cluster = read_cluster(file);
  if (cluster.name != name) refuse_other_name(file, cluster.name, name, "folder");
  if (data.own_clusters.count(name) > 0 && !cluster.gpu.empty())
    cluster.gpu =
        find_gpu(load_gpus(data), is_path(cluster.gpu) ? fs::path(cluster.gpu).stem().string() : cluster.gpu).name;
  return cluster;
}

Convergence load_convergence(const DataFolder& data, const std::string& name) {
  const auto names = list_convergence(data);
  if (!is_in(names, name)) refuse_unknown("convergence", name, data.convergence(), names);
  const fs::path file = data.convergence() / (name + ".json");
  auto convergence = read_convergence(file);
  if (convergence.name != name) refuse_other_name(file, convergence.name, name, "file's name");
  return convergence;
}

std::vector<Gpu> load_gpus(const DataFolder& data) {
  auto gpus = read_gpus(data.platforms() / "gpus.json");
  for (const auto& [name, file] : data.own_gpus)
    for (auto& own : read_gpus(file)) gpus.push_back(std::move(own));
  return gpus;
}

std::vector<Preset> load_presets(const DataFolder& data) {
  auto presets = read_presets(data.scenarios() / "presets.json");
  if (preset_named(presets, unnamed_framework) == nullptr) presets.push_back(stand_in_preset(unnamed_framework));
  return presets;
}

InputCatalogue load_inputs(const DataFolder& data) {
  return read_inputs(data.inputs());
}

PriorBook load_priors(const DataFolder& data) {
  return read_priors(data.platforms() / "priors.json");
}

KernelRateBook load_kernel_rates(const DataFolder& data) {
  if (!std::filesystem::exists(data.kernel_rates())) return {};
  return read_kernel_rates(data.kernel_rates());
}

std::vector<fs::path> list_kernel_files(const DataFolder& data) {
  std::vector<fs::path> files;
  for (const auto& name : json_names(data.kernels())) files.push_back(data.kernels() / (name + ".json"));
  return files;
}

std::optional<Calibration> load_calibration(const DataFolder& data, const std::string& cluster) {
  return data.calibrations ? data.calibrations(data, cluster) : std::nullopt;
}

ReferenceData read_reference_data(const DataFolder& data) {
  ReferenceData reference{load_gpus(data), load_presets(data), load_priors(data), {}, {}, load_kernel_rates(data)};
  for (const auto& name : list_models(data)) reference.models.emplace(name, load_model(data, name));
  for (const auto& name : list_clusters(data)) reference.clusters.emplace(name, load_cluster(data, name));
  return reference;
}

} // namespace ddlsim
