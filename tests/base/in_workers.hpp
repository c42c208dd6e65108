#pragma once
// Tasks of a test in worker processes, as the commands run them, without progress.

#include "sim/base/child_process.hpp"

namespace ddlsim {

/// Returns a function that runs tasks in `jobs` processes at a time.
inline RunTasks in_workers(int jobs) {
  return [jobs](const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended) {
    return run_in_workers(tasks, jobs, work, ended);
  };
}

} // namespace ddlsim
