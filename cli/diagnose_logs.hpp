#pragma once
// What `ddlsim diagnose` reads: logs of any kind that `import` knows, records, and times that are typed.

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

/// What is known of the logs before they are read. Empty: the log has to say it.
struct LogReading {
  std::string cluster;
  std::string gpu;
  int gpus_per_node = 0;
  std::map<std::string, std::string> steps;       ///< of logs of training: model, batch_per_gpu, ...
  std::map<std::string, std::string> collectives; ///< of logs of collectives: transport, ...
};

/// How logs are read for a scenario; `transport` is that of its curve.
LogReading reading_for(const Scenario& scenario, const std::string& transport);
/// How logs are read without a scenario, by the command line alone.
LogReading reading_for(const DiagnoseCommand& command);

/// A scenario, by its content.
bool is_scenario(const std::filesystem::path& file);

/// Notes are narrated. Throws UserError as importers do; what a log does not say is asked for by the options of
/// `diagnose`.
std::vector<MeasurementFile> read_logs(const DiagnoseCommand& command, const LogReading& reading,
                                       const DataFolder& data, const CommandLine& line);

/// The points that the scenario is about; what is left out is narrated.
std::vector<Observation> observations_of(const std::vector<MeasurementFile>& files, const DiagnoseCommand& command,
                                         const Scenario& scenario, const Cluster& cluster, const CommandLine& line);

} // namespace ddlsim
