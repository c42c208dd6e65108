#pragma once
// Reads the input of `ddlsim diagnose`: logs of any kind that `import` reads, records, and typed times.

#include "cli/options.hpp"
#include "diagnose/observation.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <map>
#include <string>
#include <vector>

namespace ddlsim {

/// Facts about the logs that are known before they are read. A fact that is empty must be in the log.
struct LogContext {
  std::string cluster;
  std::string gpu;
  int gpus_per_node = 0;
  std::map<std::string, std::string> steps;       ///< facts for training logs: model, batch_per_gpu and so on
  std::map<std::string, std::string> collectives; ///< facts for logs of collectives: transport and so on
};

/// Returns the facts that a scenario gives; `transport` is that of its curve.
LogContext log_context_of(const Scenario& scenario, const std::string& transport);
/// Returns the facts that the command line gives without a scenario.
LogContext log_context_of(const DiagnoseCommand& command);

/// Whether the file's content is a scenario.
bool is_scenario(const std::filesystem::path& file);

/// Reads the logs and prints their notes. Throws UserError as importers do. Its message names the options of `diagnose`
/// that supply what a log lacks.
std::vector<MeasurementFile> read_logs(const DiagnoseCommand& command, const LogContext& log_context,
                                       const DataFolder& data, const CommandLine& line);

/// Returns the records that match the scenario, as points. Prints which records are left out.
std::vector<Observation> observations_of(const std::vector<MeasurementFile>& files, const DiagnoseCommand& command,
                                         const Scenario& scenario, const Cluster& cluster, const CommandLine& line);

} // namespace ddlsim
