#pragma once
// Work in forked children: several children use several cores, and a child that fails does not affect the others.

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A child that works and sends back bytes. Whatever it prints is kept from the terminal. A child that is not finished
/// is killed with its object, and with the thread that started it, whatever ends that.
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

/// The result of one task, or why there is none.
struct TaskResult {
  std::string bytes;
  std::string error; ///< "" when it went well; else one message: what was thrown, or the signal it was killed by
};

/// Runs the task of that number and returns its result as bytes.
using TaskWork = std::function<std::string(int task)>;

/// Called at the end of each task; may be empty.
using TaskEnded = std::function<void(int task, const TaskResult& result)>;

/// Runs independent tasks, each in a child process, at most `jobs` at a time, and gives their results in the order of
/// their numbers in `tasks`, whatever order they end in: so the same tasks give the same bytes for any number of jobs.
/// A task that throws, or is killed, spoils no other.
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

// A small process that forks others. A fork copies the page tables of the process that forks, and afterwards that
// process copies every page it writes to: with 60 MB of samples some 40 ms a fork. The server is forked once, before
// there is much memory, and forks a fresh child for each request.

using Numbers = std::vector<double>;

/// Starts the server of this process and of the workers that it forks later; does nothing where there is one. Call it
/// early, and while there is one thread: what another thread has locked at that moment stays locked in the server.
/// Throws std::system_error.
void start_fork_server();

/// Ends the server. The next run starts one from the process as it is then.
void stop_fork_server();

/// Runs `work` on the request in a fresh process, which has the memory that this process had when its server started.
/// Starts the server where there is none. May be called by several threads and workers at once. Throws
/// std::runtime_error with the message when `work` threw, or with the end of what it printed when it ended otherwise.
Numbers run_in_fork(Numbers (*work)(const Numbers& request), const Numbers& request);

} // namespace ddlsim
