#include "sim/engine/worker_pool.hpp"

#include "sim/engine/child_process.hpp"

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <poll.h>
#include <sched.h>
#include <system_error>

namespace ddlsim {
namespace {

struct Running {
  int task = 0;
  ChildProcess child;
};

/// Sleeps until one of them has sent something or ended; their places in the list, the last first.
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

std::vector<TaskResult> run_in_workers(int count, int jobs, const std::function<std::string(int)>& work,
                                       const std::function<void(int)>& done) {
  std::vector<TaskResult> results(static_cast<std::size_t>(count));
  std::vector<Running> running;
  int next = 0;
  int ended = 0;
  while (ended < count) {
    while (next < count && running.size() < static_cast<std::size_t>(std::max(1, jobs))) {
      running.push_back({next, ChildProcess([&work, task = next] { return work(task); })});
      ++next;
    }
    for (const std::size_t place : wait_for_news(running)) {
      Running& one = running[place];
      if (one.child.take()) continue;
      results[static_cast<std::size_t>(one.task)] = result_of(one.child);
      running.erase(running.begin() + static_cast<std::ptrdiff_t>(place));
      ++ended;
      if (done) done(ended);
    }
  }
  return results;
}

int usable_cores() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

} // namespace ddlsim
