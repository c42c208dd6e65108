#pragma once
// Work in forked children: several children use several cores, and a child that fails does not affect the others.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A forked child process that does some work and sends the result back as bytes. What it prints does not reach the
/// terminal. A child that has not finished is killed when its object is destroyed, or when the thread that started it
/// ends for any reason.
class ChildProcess {
public:
  /// Forks. Throws std::system_error when no child can be started.
  explicit ChildProcess(const std::function<std::string()>& work);
  ~ChildProcess();
  ChildProcess(ChildProcess&&) noexcept;
  ChildProcess& operator=(ChildProcess&&) noexcept;

  int descriptor() const; ///< the file descriptor to poll until there is something to read
  bool take(); ///< reads what has arrived, and waits for at least one byte; returns false when no more will come

  /// Waits until the child ends and returns all its bytes. Throws std::runtime_error when the child threw (with its
  /// message) or was killed (with the signal); the message then also holds the end of what the child printed.
  std::string finish();

private:
  struct State;
  std::unique_ptr<State> state_;
};

/// The result of a task, or the reason why the task has none.
struct TaskResult {
  std::string bytes;
  /// "" when the task succeeded; else one message: that of its exception, or the signal that killed it
  std::string error;
};

/// Runs the task with number `task` and returns its result as bytes.
using TaskWork = std::function<std::string(int task)>;

/// A callback that runs at the end of each task; it may be empty.
using TaskEnded = std::function<void(int task, const TaskResult& result)>;

/// Runs independent tasks, each in a child process, at most `jobs` at a time. Returns the results in the order of
/// `tasks`, whichever task ends first, so that the same tasks give the same bytes for any number of jobs. A task that
/// throws or is killed does not affect the others.
std::vector<TaskResult> run_in_workers(const std::vector<int>& tasks, int jobs, const TaskWork& work,
                                       const TaskEnded& ended = {});

/// A function that runs tasks as run_in_workers() does, with the same results.
using RunTasks =
    std::function<std::vector<TaskResult>(const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended)>;

/// Returns a function that runs the tasks one after another in this process and does not catch what they throw.
RunTasks in_this_process();

/// Returns the numbers 0 .. count-1.
std::vector<int> all_tasks(std::size_t count);

// The fork server: a small process that forks others. A fork copies the page tables of the process that forks, and
// afterwards that process copies every page that it writes to: with 60 MB of samples some 40 ms a fork. The server is
// forked once, before there is much memory, and forks a fresh child for each request.

using Numbers = std::vector<double>;

/// Starts the fork server for this process and for the workers that it forks later; does nothing when the server
/// already runs. Call it early, while the process has one thread: a lock that another thread holds at that moment stays
/// locked in the server. Throws std::system_error.
void start_fork_server();

/// Ends the server. The next run_in_fork() starts a new one, which has the memory of the process at that time.
void stop_fork_server();

/// Runs `work` on the request in a fresh process, which has the memory that this process had when its server started.
/// Starts the server when none runs. Several threads and workers may call it at once. Throws std::runtime_error with
/// the message when `work` threw, or with the end of what the process printed when it ended in another way.
Numbers run_in_fork(Numbers (*work)(const Numbers& request), const Numbers& request);

} // namespace ddlsim
