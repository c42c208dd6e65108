#pragma once

#include <string>

namespace ddlsim {

std::string version();         ///< of ddlsim: "0.1.0"
std::string simgrid_version(); ///< of the SimGrid it was built with: "3.32"

} // namespace ddlsim
