#include "sim/formats/data_folder.hpp"

#include "sim/base/error.hpp"
#include "sim/base/names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace ddlsim {

namespace fs = std::filesystem;

namespace {

/// The entries of a folder, in no order; none for a folder that is missing.
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

} // namespace

std::vector<std::string> list_models(const DataFolder& data) {
  std::vector<std::string> names;
  for (const auto& path : entries(data.models()))
    if (path.extension() == ".json") names.push_back(path.stem().string());
  std::sort(names.begin(), names.end()); // without ".json" the order is another
  return names;
}

std::vector<std::string> list_clusters(const DataFolder& data) {
  std::vector<std::string> names;
  std::error_code ignored;
  for (const auto& path : entries(data.platforms()))
    if (fs::is_regular_file(path / "cluster.json", ignored)) names.push_back(path.filename().string());
  std::sort(names.begin(), names.end());
  return names;
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
  const fs::path file = data.models() / (name + ".json");
  Model model = read_model(file);
  if (model.name != name) {
    throw UserError(
        file.string(), "/name",
        fmt::format("{} found, \"{}\" expected after the file's name; rename one", in_quotes(model.name), name));
  }
  return model;
}

Cluster load_cluster(const DataFolder& data, const std::string& name) {
  const auto names = list_clusters(data);
  if (!is_in(names, name)) refuse_unknown("cluster", name, data.platforms(), names);
  const fs::path file = data.platforms() / name / "cluster.json";
  Cluster cluster = read_cluster(file);
  if (cluster.name != name) {
    throw UserError(
        file.string(), "/name",
        fmt::format("{} found, \"{}\" expected after the folder; rename one", in_quotes(cluster.name), name));
  }
  return cluster;
}

std::vector<Gpu> load_gpus(const DataFolder& data) {
  return read_gpus(data.platforms() / "gpus.json");
}

std::vector<Preset> load_presets(const DataFolder& data) {
  return read_presets(data.scenarios() / "presets.json");
}

std::vector<Prior> load_priors(const DataFolder& data) {
  return read_priors(data.platforms() / "priors.json");
}

std::optional<Calibration> load_calibration(const DataFolder& data, const std::string& cluster) {
  const auto file = data.platforms() / cluster / "calibration.json";
  if (!std::filesystem::exists(file)) return {};
  return read_calibration(file);
}

} // namespace ddlsim
