#pragma once
// Work in forked children, because several children use several cores, and one that fails spoils no other.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A child that works and sends back bytes. Whatever it prints is kept from the terminal. A child that is not finished
/// is killed with its object.
class ChildProcess {
public:
  /// Forks. Throws std::system_error when no child can be started.
  explicit ChildProcess(const std::function<std::string()>& work);
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;

  int descriptor() const; ///< to be polled for reading
  bool take();            ///< takes in what has come, waiting for at least a byte; false when no more comes

  /// Waits for the end; all bytes. Throws std::runtime_error when the child threw (with its message) or was killed
  /// (with the signal); the end of what it printed is then part of the message.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// What one task gave, or why it gave nothing.
struct TaskResult {
  std::string bytes;
  std::string error; ///< "" when it went well; else one message: what was thrown, or the signal it was killed by
};

/// What a task gives, by its number.
using TaskWork = std::function<std::string(int task)>;

/// Told of each end, where tasks are dealt out; may be empty.
using TaskEnded = std::function<void(int task, const TaskResult& result)>;

/// Runs independent tasks, each in a child process, at most `jobs` at a time, and gives their results in the order of
/// their numbers in `tasks`, whatever order they end in: so the same tasks give the same bytes for any number of jobs. A
/// task that throws, or is killed, spoils no other.
std::vector<TaskResult> run_in_workers(const std::vector<int>& tasks, int jobs, const TaskWork& work,
                                       const TaskEnded& ended = {});

/// What runs tasks as run_in_workers() does, with the same results: on this machine's cores, or on others.
using RunTasks =
    std::function<std::vector<TaskResult>(const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended)>;

/// run_in_workers() with so many jobs.
RunTasks in_workers(int jobs);

/// One after another in this process. What a task throws is not caught.
RunTasks in_this_process();

/// 0 .. count-1.
std::vector<int> all_tasks(std::size_t count);

/// Cores that this process may use; 1 where that is not known.
int usable_cores();

} // namespace ddlsim
