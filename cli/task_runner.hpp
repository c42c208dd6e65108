#pragma once
// Runs the tasks of a sweep, a plan or a validation.

#include "cli/options.hpp"
#include "sim/base/child_process.hpp"

#include <string>

namespace ddlsim {

/// Returns a function that runs tasks in `--threads` processes and shows their progress. If it is interrupted, it says
/// how many tasks had an answer. `tasks` is what they are called in the plural.
RunTasks task_runner(const CommandLine& line, const std::string& tasks);

} // namespace ddlsim
