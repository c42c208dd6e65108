#pragma once
// The question behind `ddlsim diagnose LOG` without a scenario: made of what the log says and of a few options.

#include "cli/options.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/record.hpp"
#include "sim/formats/scenario.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// What a cluster of --gpu and --network is called.
inline constexpr const char* name_of_made_cluster = "your-cluster";

struct MadeQuestion {
  Scenario scenario;
  Cluster cluster;
  DataFolder data;
};

/// Names of the options as `data` has them: "Iris", "llama-2-13b", "bfloat16", "InfiniBand". A name that it has not stays
/// as it is. Throws UserError for a precision that is none.
DiagnoseCommand with_known_names(DiagnoseCommand command, const DataFolder& data);

/// The cluster that --cluster names, or one of --gpu and --network with the nodes of the log; the model, batch and
/// precision that the options or the log state. What is missing is asked for, each by its option. Throws UserError.
MadeQuestion question_from(const DiagnoseCommand& command, const std::vector<MeasurementFile>& files,
                           const CommandLine& line);

} // namespace ddlsim
