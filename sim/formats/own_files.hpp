#pragma once
// A user's own model, cluster and GPU: a scenario names them by a path in place of a shipped name, and a cluster its GPU.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>

namespace ddlsim {

/// A text with a slash, or one that ends in .json, is a path; a name has neither.
bool is_path(const std::string& text);

/// Where a path of FILE leads: beside FILE, or, where nothing is there, from the working directory. Absolute, without
/// "..".
std::filesystem::path path_from(const std::string& text, const std::filesystem::path& file);

/// Puts the names of the own files in place of the paths, and the paths into model_file and cluster_folder. Notes what
/// is wrong at "model" and "cluster" of `root`: no such file, mistakes in it, a file that is not called like what is in
/// it. The name is then empty.
void find_own_files(Scenario& scenario, const JsonNode& root, const std::filesystem::path& file);

/// The folder of a user's own cluster, from the path of that folder or of its cluster.json. Throws UserError.
std::filesystem::path own_cluster_folder(const std::filesystem::path& path);

/// Puts the names of own files in place of the paths of a plan request's model and clusters, and gives the data folder
/// that has them. Throws UserError at the path's place.
DataFolder take_own_files(nlohmann::json& request, const std::filesystem::path& file, DataFolder data);

// The data folder with own files beside the shipped ones; as it was where there are none. Each throws UserError where
// an own file has the name of another, shipped one, whose records would be taken for its own.

DataFolder with_own_model(DataFolder data, const Scenario& scenario);
DataFolder with_own_gpu(DataFolder data, const std::filesystem::path& file);
/// With the cluster's own GPU, too, where its file names one by its path.
DataFolder with_own_cluster(DataFolder data, const std::filesystem::path& folder);
DataFolder with_own_files(DataFolder data, const Scenario& scenario);

} // namespace ddlsim
