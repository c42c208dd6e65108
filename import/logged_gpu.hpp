#pragma once

#include "import/imported.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The GPU that ran is the one that a log names (`device`, as the driver calls it; "": none), unless the command line
/// says another; only where neither does it is the cluster's. Told: a GPU that the cluster has not, and one that the
/// command line contradicts. One that the catalogue lacks keeps its name (notes_on_gpu()).
void take_logged_gpu(const std::string& device, ImportContext& context, std::vector<std::string>& notes);

} // namespace ddlsim
