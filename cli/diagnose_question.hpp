#pragma once
// Builds the scenario of `ddlsim diagnose LOG` from the log and a few options, where the user gives no scenario.

#include "cli/options.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// The name of a cluster made from --gpu and --network.
inline constexpr const char* name_of_made_cluster = "your-cluster";

struct DiagnoseQuestion {
  Scenario scenario;
  Cluster cluster;
  DataFolder data;
};

/// Replaces names in the options by their spelling in `data`: "Iris", "llama-2-13b", "bfloat16", "InfiniBand". Unknown
/// names stay as they are. Throws UserError for an unknown precision.
DiagnoseCommand with_known_names(DiagnoseCommand command, const DataFolder& data);

/// Builds the scenario. Its cluster is that of --cluster, or one made from --gpu and --network with the nodes of the
/// log. Model, batch and precision are those of the options or of the log. Throws UserError that names the options for
/// what is missing.
DiagnoseQuestion question_from(const DiagnoseCommand& command, const std::vector<MeasurementFile>& files,
                               const CommandLine& line);

} // namespace ddlsim
