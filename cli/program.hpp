#pragma once
// What ddlsim and ddlsim-mpi begin and end with.

#include "cli/options.hpp"

#include <functional>

namespace ddlsim {

/// Reads the arguments, runs the command with `run`, and gives the exit code: 2 for wrong use, 1 and one message on standard
/// error where `run` throws. `tells`: whether anything is printed; false in a process that leaves it to another.
int run_program(int argc, char** argv, const std::function<int(const CommandLine&)>& run, bool tells = true);

} // namespace ddlsim
