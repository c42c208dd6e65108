#pragma once
// `ddlsim check FILE`: which format a file has, and whether it keeps it.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <filesystem>
#include <string>

namespace ddlsim {

/// "model resnet50_v1.5: 161 tensors, 25557032 parameters": what the file is, in one line.
/// Throws UserError with every mistake, names of models, clusters, GPUs and presets looked up in `data` among them.
std::string check_file(const std::filesystem::path& file, const DataFolder& data);

/// read_scenario(), which notes beside all other mistakes of the file, and of what the command line changed, names of a
/// model, cluster, GPU or preset that `data` does not have.
Scenario read_known_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes,
                             const DataFolder& data);

// Names in files that refer to other files: models, clusters, GPUs, presets, transports. check_file looks them up.

/// What the data folder has, read once for all lines of a file.
struct NamesOfData {
  explicit NamesOfData(const DataFolder& data) : clusters(list_clusters(data)), gpus(load_gpus(data)) {}
  std::vector<std::string> clusters;
  std::vector<Gpu> gpus;
};

/// Each notes the names that are unknown, offering the nearest.
void look_up_names(const Scenario& scenario, const JsonNode& root, const DataFolder& data);
void look_up_names(const Convergence& convergence, const JsonNode& root, const DataFolder& data);
void look_up_names(const InputCatalogue& inputs, const JsonNode& root, const DataFolder& data);
void look_up_names(const PlanRequest& request, const JsonNode& root, const DataFolder& data);
void look_up_names(const PriorBook& book, const JsonNode& root, const DataFolder& data);
void look_up_names(const Context& context, const JsonNode& line, const NamesOfData& names);
void look_up_names(const Record& record, const JsonNode& line, const NamesOfData& names);
/// A file called cluster.json must have its folder's name.
void look_up_names(const Cluster& cluster, const JsonNode& root, const std::filesystem::path& file,
                   const DataFolder& data);
/// A file called calibration.json stands in its cluster's folder.
void look_up_names(const Calibration& calibration, const JsonNode& root, const std::filesystem::path& file,
                   const DataFolder& data);

/// Models and convergences are found by their file's name.
void compare_with_file_name(const std::string& name, const JsonNode& root, const std::filesystem::path& file);

} // namespace ddlsim
