#pragma once
// A user's own model, cluster and GPU. A scenario names them by a path instead of a shipped name, and a cluster its
// GPU.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace ddlsim {

/// A text with a slash, or one that ends in .json, is a path; a name has neither.
bool is_path(const std::string& text);

/// Resolves a path in FILE: relative to FILE's folder, or, if nothing is there, to the working directory. The result is
/// absolute and without "..".
std::filesystem::path path_from(const std::string& text, const std::filesystem::path& file);

/// Replaces the paths of own files by the names in these files, and stores the paths in model_file and cluster_folder.
/// Notes mistakes at "model" and "cluster" of `root`: a missing file, mistakes in it, a file whose name differs from
/// the name in it. The name is then empty.
void find_own_files(Scenario& scenario, const JsonNode& root, const std::filesystem::path& file);

/// Returns the folder of a user's own cluster, for the path of that folder or of its cluster.json. Throws UserError.
std::filesystem::path own_cluster_folder(const std::filesystem::path& path);

/// Replaces the paths of own files in a plan request's model and clusters by names. Returns a data folder that knows
/// these files. Throws UserError at the place of the path.
DataFolder take_own_files(nlohmann::json& request, const std::filesystem::path& file, DataFolder data);

// Each function adds own files to the data folder and returns it; without own files it is unchanged. Each throws
// UserError when an own file has the name of a shipped one, whose records would then be used for it.

DataFolder with_own_model(DataFolder data, const Scenario& scenario);
DataFolder with_own_gpu(DataFolder data, const std::filesystem::path& file);
/// Also adds the cluster's own GPU if its file names one by a path.
DataFolder with_own_cluster(DataFolder data, const std::filesystem::path& folder);
DataFolder with_own_files(DataFolder data, const Scenario& scenario);

} // namespace ddlsim
