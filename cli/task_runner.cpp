#include "cli/task_runner.hpp"

#include "cli/interruption.hpp"
#include "cli/narration.hpp"

#include <fmt/format.h>

#include <atomic>

namespace ddlsim {

RunTasks task_runner(const CommandLine& line, const std::string& tasks) {
  return [quiet = line.quiet, threads = line.threads, name = tasks](const std::vector<int>& numbers,
                                                                    const TaskWork& work, const TaskEnded& ended) {
    std::atomic<std::size_t> done = 0;
    const Interruption interruption([&] {
      return fmt::format("interrupted: {} of {} {} were answered; nothing was written", done.load(), numbers.size(),
                         name);
    });
    const auto progress = make_task_progress(quiet, name);
    if (progress) progress(done, numbers.size());
    return run_in_workers(numbers, threads, work, [&](int task, const TaskResult& result) {
      ++done;
      if (progress) progress(done, numbers.size());
      if (ended) ended(task, result);
    });
  };
}

} // namespace ddlsim
