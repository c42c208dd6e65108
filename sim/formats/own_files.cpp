#include "sim/formats/own_files.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr const char* cluster_file_name = "cluster.json";

/// The scenario has the path: what would steer a terminal is shown as a question mark.
std::string harmless(std::string path) {
  const auto steers = [](unsigned char letter) { return letter < ' ' || letter == 0x7f; };
  std::replace_if(path.begin(), path.end(), steers, '?');
  return path;
}

/// What is wrong with an own file, at the key of the scenario that names it.
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

/// An own file may be the shipped one itself.
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

DataFolder with_own_model(DataFolder data, const Scenario& scenario) {
  if (scenario.model_file.empty()) return data;
  refuse_shipped_name("model", scenario.model, scenario.model_file, data.model_file(scenario.model));
  data.own_models[scenario.model] = scenario.model_file;
  return data;
}

DataFolder with_own_cluster(DataFolder data, const fs::path& folder) {
  if (folder.empty()) return data;
  const auto name = folder.filename().string();
  refuse_shipped_name("cluster", name, folder / cluster_file_name, data.platforms() / name / cluster_file_name);
  data.own_clusters[name] = folder;
  return data;
}

DataFolder with_own_files(DataFolder data, const Scenario& scenario) {
  return with_own_cluster(with_own_model(std::move(data), scenario), scenario.cluster_folder);
}

} // namespace ddlsim
