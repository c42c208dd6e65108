#include "sim/base/child_process.hpp"

#include "sim/base/descriptor.hpp"

#include <sys/prctl.h>
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <exception>
#include <fcntl.h>
#include <numeric>
#include <poll.h>
#include <stdexcept>
#include <string>
#include <string_view>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace ddlsim {
namespace {

/// Runs the work in the child and never returns. It ends with _exit, because exit handlers and static objects belong to
/// the parent.
[[noreturn]] void be_the_child(pid_t parent, int results, int narration, const std::function<std::string()>& work) {
  ::prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (::getppid() != parent) ::_exit(1); // the parent ended before prctl() took effect
  int status = 1;
  ::dup2(narration, STDOUT_FILENO);
  ::dup2(narration, STDERR_FILENO);
  try {
    const std::string bytes = work();
    write_all(results, bytes.data(), bytes.size());
    status = 0;
  } catch (const std::exception& error) {
    const std::string_view words = error.what();
    if (::write(narration, words.data(), words.size()) < 0) status = 2; // the error cannot be reported any more
  } catch (...) {
    status = 3;
  }
  ::_exit(status);
}

int wait_for(pid_t child) {
  int status = 0;
  while (::waitpid(child, &status, 0) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "simulation process");
  }
  return status;
}

std::string how_it_ended(int status) {
  if (WIFSIGNALED(status)) return std::string("was killed by signal ") + ::strsignal(WTERMSIG(status));
  if (WIFEXITED(status)) return "ended with status " + std::to_string(WEXITSTATUS(status));
  return "did not end as a process should";
}

std::array<int, 2> make_pipe() {
  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0)
    throw std::system_error(errno, std::generic_category(), "simulation process");
  return ends;
}

} // namespace

struct ChildProcess::State {
  explicit State(const std::array<int, 2>& ends) : reading(ends[0]), writing(ends[1]), narration(make_narration()) {}
  ~State() {
    if (child <= 0) return;
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  Descriptor reading;
  Descriptor writing;
  Descriptor narration;
  pid_t child = 0; ///< process id of the child; 0: there is none, or its end was waited for
  std::string bytes;
};

ChildProcess::ChildProcess(const std::function<std::string()>& work) : state_(std::make_unique<State>(make_pipe())) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child < 0) throw std::system_error(errno, std::generic_category(), "simulation process");
  if (child == 0) be_the_child(parent, state_->writing.number(), state_->narration.number(), work);
  state_->child = child;
  state_->writing.close();
}

ChildProcess::~ChildProcess() = default;
ChildProcess::ChildProcess(ChildProcess&&) noexcept = default;
ChildProcess& ChildProcess::operator=(ChildProcess&&) noexcept = default;

int ChildProcess::descriptor() const {
  return state_->reading.number();
}

bool ChildProcess::take() {
  return read_some(state_->reading.number(), state_->bytes);
}

std::string ChildProcess::finish() {
  while (take()) {
  }
  const int status = wait_for(state_->child);
  state_->child = 0;
  if (status != 0) {
    throw std::runtime_error("the simulation process " + how_it_ended(status) + ": " +
                             last_words(state_->narration.number()));
  }
  return std::move(state_->bytes);
}

namespace {

struct Running {
  std::size_t place = 0; ///< index among the tasks
  ChildProcess child;
};

/// Sleeps until at least one child has sent something or ended. Returns the indices of these children in `running`, the
/// last first.
std::vector<std::size_t> wait_for_news(const std::vector<Running>& running) {
  std::vector<pollfd> watched;
  watched.reserve(running.size());
  for (const Running& one : running) {
    watched.push_back({one.child.descriptor(), POLLIN, 0});
  }
  while (::poll(watched.data(), watched.size(), -1) < 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "worker pool");
  }
  std::vector<std::size_t> news;
  for (std::size_t i = watched.size(); i-- > 0;) {
    if (watched[i].revents != 0) news.push_back(i);
  }
  return news;
}

TaskResult result_of(ChildProcess& child) {
  try {
    return {child.finish(), ""};
  } catch (const std::exception& error) {
    return {"", error.what()};
  }
}

} // namespace

std::vector<TaskResult> run_in_workers(const std::vector<int>& tasks, int jobs, const TaskWork& work,
                                       const TaskEnded& ended) {
  std::vector<TaskResult> results(tasks.size());
  std::vector<Running> running;
  std::size_t next = 0;
  while (next < tasks.size() || !running.empty()) {
    while (next < tasks.size() && running.size() < static_cast<std::size_t>(std::max(1, jobs))) {
      running.push_back({next, ChildProcess([&work, task = tasks[next]] { return work(task); })});
      ++next;
    }
    for (const std::size_t news : wait_for_news(running)) {
      Running& one = running[news];
      if (one.child.take()) continue;
      const auto place = one.place;
      results[place] = result_of(one.child);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(news));
      if (ended) ended(tasks[place], results[place]);
    }
  }
  return results;
}

RunTasks in_this_process() {
  return [](const std::vector<int>& tasks, const TaskWork& work, const TaskEnded& ended) {
    std::vector<TaskResult> results;
    for (const int task : tasks) {
      results.push_back({work(task), ""});
      if (ended) ended(task, results.back());
    }
    return results;
  };
}

std::vector<int> all_tasks(std::size_t count) {
  std::vector<int> tasks(count);
  std::iota(tasks.begin(), tasks.end(), 0);
  return tasks;
}

} // namespace ddlsim
