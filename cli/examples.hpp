#pragma once
// What --help shows at its end: commands that work as they stand in the folder of ddlsim.

#include <string>

namespace ddlsim {

/// Of a command, or of the program for "". Ends without a line end.
std::string examples_of(const std::string& command);

} // namespace ddlsim
