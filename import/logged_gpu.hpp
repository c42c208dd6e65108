#pragma once

#include "import/imported.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The GPU that ran is the one that a log names (`device`, as the driver calls it; "": none), unless the command line
/// says another; only where neither does it is the cluster's. Told: a GPU that the cluster has not, one that the command
/// line contradicts, and one that the catalogue lacks, which keeps its name.
void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes);

} // namespace ddlsim
