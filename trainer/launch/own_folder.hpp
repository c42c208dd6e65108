#pragma once
#include <string>

namespace ddltrain {

/// The running program's file.
std::string own_program();

/// A file that lies beside the running program, or in ../lib of it. Throws RunError when it does not.
std::string beside_program(const std::string& name);

} // namespace ddltrain
