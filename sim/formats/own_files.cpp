#include "sim/formats/own_files.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/gpu_names.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* cluster_file_name = "cluster.json";

/// Replaces control characters of a path by question marks: the path comes from the scenario and could steer a
/// terminal.
std::string harmless(std::string path) {
  const auto steers = [](unsigned char letter) { return letter < ' ' || letter == 0x7f; };
  std::replace_if(path.begin(), path.end(), steers, '?');
  return path;
}

/// Notes the mistakes of an own file at the key of the scenario that names the file.
void note_own_mistakes(const JsonNode& root, const std::string& key, const UserError& error) {
  auto first = error.mistakes().front();
  first.where = harmless(first.where);
  const auto more = error.mistakes().size() - 1;
  root.mistake_at(
      key, fmt::format("{}{}", to_text(first), more == 0 ? "" : fmt::format(" (and {} more mistakes there)", more)));
}

[[noreturn]] void refuse_name(const fs::path& file, const std::string& name, const std::string& expected,
                              const char* after) {
  throw UserError(
      file.string(), "/name",
      fmt::format("{} found, {} expected after the {}; rename one", in_quotes(name), in_quotes(expected), after));
}

std::string own_model_name(const fs::path& file) {
  const auto model = read_model(file);
  if (model.name != file.stem()) refuse_name(file, model.name, file.stem().string(), "file's name");
  return model.name;
}

/// Returns the name in an own GPU file, which has the catalogue's format and one entry with the file's name.
std::string own_gpu_name(const fs::path& file) {
  const auto gpus = read_gpus(file);
  if (gpus.size() != 1)
    throw UserError(file.string(), "/gpus", fmt::format("{} GPUs found, one expected; give each a file", gpus.size()));
  if (gpus.front().name != file.stem()) refuse_name(file, gpus.front().name, file.stem().string(), "file's name");
  return gpus.front().name;
}

/// Refuses an own file with the name of a shipped one, unless it is the shipped file itself.
void refuse_shipped_name(const std::string& kind, const std::string& name, const fs::path& own,
                         const fs::path& shipped) {
  std::error_code ignored;
  if (!fs::exists(shipped, ignored) || fs::equivalent(own, shipped, ignored)) return;
  throw UserError(own.string(), "/name",
                  fmt::format("{} is the name of a shipped {}, whose records would be taken for this one's; rename it",
                              in_quotes(name), kind));
}

} // namespace

bool is_path(const std::string& text) {
  return text.find('/') != std::string::npos || text.ends_with(".json");
}

fs::path path_from(const std::string& text, const fs::path& file) {
  std::error_code ignored;
  const auto beside = (fs::absolute(file).parent_path() / text).lexically_normal();
  if (fs::exists(beside, ignored)) return beside;
  const auto here = fs::absolute(text).lexically_normal();
  return fs::exists(here, ignored) ? here : beside;
}

fs::path own_cluster_folder(const fs::path& path) {
  std::error_code ignored;
  auto folder = fs::absolute(path).lexically_normal();
  if (!folder.has_filename()) folder = folder.parent_path(); // "my-cluster/"
  const bool is_file = folder.filename() == cluster_file_name && !fs::is_directory(folder, ignored);
  if (is_file) folder = folder.parent_path();
  if (fs::is_regular_file(folder, ignored))
    throw UserError(path.string(), "",
                    fmt::format("a cluster's file is called {}; give its folder, or call it so", cluster_file_name));
  const auto cluster = read_cluster(folder / cluster_file_name);
  if (cluster.name != folder.filename())
    refuse_name(folder / cluster_file_name, cluster.name, folder.filename().string(), "folder");
  return folder;
}

void find_own_files(Scenario& scenario, const JsonNode& root, const fs::path& file) {
  if (is_path(scenario.model)) {
    try {
      const auto found = path_from(scenario.model, file);
      scenario.model.clear();
      scenario.model = own_model_name(found);
      scenario.model_file = found;
    } catch (const UserError& error) {
      note_own_mistakes(root, "model", error);
    }
  }
  if (is_path(scenario.gpu)) {
    try {
      const auto found = path_from(scenario.gpu, file);
      scenario.gpu.clear();
      scenario.gpu = own_gpu_name(found);
      scenario.gpu_file = found;
    } catch (const UserError& error) {
      note_own_mistakes(root, "gpu", error);
    }
  }
  if (!is_path(scenario.cluster)) return;
  try {
    const auto found = path_from(scenario.cluster, file);
    scenario.cluster.clear();
    scenario.cluster_folder = own_cluster_folder(found);
    scenario.cluster = scenario.cluster_folder.filename().string();
  } catch (const UserError& error) {
    note_own_mistakes(root, "cluster", error);
  }
}

namespace {

DataFolder with_model(DataFolder data, const std::string& name, const fs::path& file) {
  refuse_shipped_name("model", name, file, data.model_file(name));
  data.own_models[name] = file;
  return data;
}

/// If the value of the key is a path, replaces it by the name that `take` returns.
template <class Take>
void name_for_path(nlohmann::json& owner, const std::string& key, const std::string& place, const Take& take) {
  if (!owner.is_object() || !owner.contains(key) || !owner[key].is_string()) return;
  const auto text = owner[key].get<std::string>();
  if (!is_path(text)) return;
  try {
    owner[key] = take(text);
  } catch (const UserError& error) {
    throw UserError("", place + "/" + key, to_text(error.mistakes().front()));
  }
}

} // namespace

DataFolder take_own_files(nlohmann::json& request, const fs::path& file, DataFolder data) {
  if (!request.is_object()) return data;
  if (request.contains("workload"))
    name_for_path(request["workload"], "model", "/workload", [&](const std::string& text) {
      const auto found = path_from(text, file);
      const auto name = own_model_name(found);
      data = with_model(std::move(data), name, found);
      return name;
    });
  if (!request.contains("candidates") || !request["candidates"].is_array()) return data;
  for (std::size_t i = 0; i < request["candidates"].size(); ++i)
    name_for_path(request["candidates"][i], "cluster", fmt::format("/candidates/{}", i), [&](const std::string& text) {
      const auto folder = own_cluster_folder(path_from(text, file));
      data = with_own_cluster(std::move(data), folder);
      return folder.filename().string();
    });
  return data;
}

DataFolder with_own_model(DataFolder data, const Scenario& scenario) {
  return scenario.model_file.empty() ? data : with_model(std::move(data), scenario.model, scenario.model_file);
}

DataFolder with_own_cluster(DataFolder data, const fs::path& folder) {
  if (folder.empty()) return data;
  const auto name = folder.filename().string();
  refuse_shipped_name("cluster", name, folder / cluster_file_name, data.platforms() / name / cluster_file_name);
  const auto file = folder / cluster_file_name;
  data.own_clusters[name] = folder;
  const auto gpu = read_cluster(file).gpu;
  return is_path(gpu) ? with_own_gpu(std::move(data), path_from(gpu, file)) : data;
}

DataFolder with_own_gpu(DataFolder data, const fs::path& file) {
  if (file.empty()) return data;
  const auto name = own_gpu_name(file);
  const auto catalogue = load_gpus(DataFolder{data.root});
  const auto match = match_gpu(name, catalogue);
  if (match.gpu != nullptr)
    throw UserError(
        file.string(), "/gpus/0/name",
        fmt::format("{} means {} of the catalogue; give it another name", in_quotes(name), match.gpu->name));
  data.own_gpus[name] = file;
  return data;
}

DataFolder with_own_files(DataFolder data, const Scenario& scenario) {
  data = with_own_cluster(with_own_model(std::move(data), scenario), scenario.cluster_folder);
  return with_own_gpu(std::move(data), scenario.gpu_file);
}

} // namespace ddlsim
