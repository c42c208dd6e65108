#pragma once
// `ddlsim check FILE`: finds the format of a file and checks the file against it.

#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/plan_request.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <filesystem>
#include <functional>
#include <string>

namespace ddlsim {

struct GpuKernelTables;
struct KernelRateBook;

/// A change of a document before it is checked.
using EditDocument = std::function<void(nlohmann::json& document)>;

/// Returns a one-line summary of the file: "model resnet50_v1.5: 161 tensors, 25557032 parameters". Throws UserError
/// with every mistake, including names of models, clusters, GPUs and presets that `data` does not have. `edit` changes
/// a scenario or a plan request first.
std::string check_file(const std::filesystem::path& file, const DataFolder& data, const EditDocument& edit = {});

/// read_scenario() that also reports names of models, clusters, GPUs and presets that `data` does not have, together
/// with all other mistakes of the file and of the command line's changes.
Scenario read_known_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes,
                             const DataFolder& data);

// Names in files that refer to other files: models, clusters, GPUs, presets, transports. check_file() looks them up.

/// Names in the data folder, read once for all lines of a file.
struct NamesOfData {
  explicit NamesOfData(const DataFolder& data) : clusters(list_clusters(data)), gpus(load_gpus(data)) {}
  std::vector<std::string> clusters;
  std::vector<Gpu> gpus;
};

/// Each function notes the unknown names in a file and offers the nearest known name.
void look_up_names(const Scenario& scenario, const JsonNode& root, const DataFolder& data);
void look_up_names(const Convergence& convergence, const JsonNode& root, const DataFolder& data);
void look_up_names(const InputCatalogue& inputs, const JsonNode& root, const DataFolder& data);
void look_up_names(const PlanRequest& request, const JsonNode& root, const DataFolder& data);
void look_up_names(const GpuKernelTables& tables, const JsonNode& root, const DataFolder& data);
void look_up_names(const KernelRateBook& book, const JsonNode& root, const DataFolder& data);
void look_up_names(const PriorBook& book, const JsonNode& root, const DataFolder& data);
void look_up_names(const Context& context, const JsonNode& line, const NamesOfData& names);
void look_up_names(const Record& record, const JsonNode& line, const NamesOfData& names);
/// Also checks that a file called cluster.json has the name of its folder.
void look_up_names(const Cluster& cluster, const JsonNode& root, const std::filesystem::path& file,
                   const DataFolder& data);
/// Also checks that a file called calibration.json is in its cluster's folder.
void look_up_names(const Calibration& calibration, const JsonNode& root, const std::filesystem::path& file,
                   const DataFolder& data);

/// Notes a mistake when the file is not called `name`: models and convergences are found by the name of their file.
void compare_with_file_name(const std::string& name, const JsonNode& root, const std::filesystem::path& file);

} // namespace ddlsim
