#pragma once
// Independent tasks beside each other, each in a child process of its own.

#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

/// What one task gave, or why it gave nothing.
struct TaskResult {
  std::string bytes;
  std::string error; ///< "" when it went well; else one message: what was thrown, or the signal it was killed by
};

/// Runs tasks 0 .. count-1, at most `jobs` at a time, and gives their results in order, whatever order they end in: so
/// the same tasks give the same bytes for any number of jobs. A task that throws, or is killed, spoils no other.
/// `done(ended)` is told after each end how many have ended; may be empty.
std::vector<TaskResult> run_in_workers(int count, int jobs, const std::function<std::string(int)>& work,
                                       const std::function<void(int)>& done = {});

/// Cores that this process may use; 1 where that is not known.
int usable_cores();

} // namespace ddlsim
