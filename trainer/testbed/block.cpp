// Loaded into each rank (LD_PRELOAD) where many ranks share few cores: makes Open MPI wait instead of spin.
//
// Open MPI's progress loop polls its sockets without waiting and, with mpi_yield_when_idle, calls sched_yield() after a
// round that found nothing. With more ranks than cores those rounds take the processor from the ranks that have work,
// and what is measured is the scheduler. So: a sched_yield() is only noted, and the same thread's next poll without
// waiting waits instead, for at most longest_wait, until a socket is ready. Other threads are not touched.
// A thread that yields again and again without a poll waits for another thread (Horovod's for its sums). At real-time
// priority it would keep that one off the core, so it sleeps.

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>

#include <cerrno>
#include <ctime>
#include <poll.h>
#include <unistd.h>

namespace {

/// Longest wait: progress that no socket announces (a timer, a message to oneself) is late by this at most.
constexpr timespec longest_wait = {0, 1'000'000};
/// Longest delay of the end of a timed wait; the kernel's default of 50 us is as long as a small message takes.
constexpr unsigned long timer_slack_ns = 1000;
/// Open MPI 4 polls in one of 8 rounds at least (opal/runtime/opal_progress.c).
constexpr int most_yields_of_mpi = 16;
/// Longest wait of such a thread before it looks again; waking takes some 5 us of it.
constexpr timespec yield_pause = {0, 50'000};
constexpr std::size_t kernel_signal_set_bytes = 8;

thread_local int yields = 0; ///< number of yields since this thread's last poll
thread_local bool found_nothing = false;
thread_local bool slack_set = false;

bool take_found_nothing() {
  const bool was = found_nothing;
  found_nothing = false;
  return was;
}

} // namespace

extern "C" {

int sched_yield() noexcept {
  if (!slack_set) {
    slack_set = true;
    prctl(PR_SET_TIMERSLACK, timer_slack_ns);
  }
  found_nothing = true;
  if (++yields > most_yields_of_mpi) {
    nanosleep(&yield_pause, nullptr);
  }
  return 0;
}

int epoll_wait(int descriptor, epoll_event* events, int most, int timeout_ms) {
  yields = 0;
  const bool wait = timeout_ms == 0 && take_found_nothing();
  if (wait) {
    const long count =
        syscall(SYS_epoll_pwait2, descriptor, events, most, &longest_wait, nullptr, kernel_signal_set_bytes);
    if (count >= 0 || errno != ENOSYS) {
      return static_cast<int>(count);
    }
  }
  return static_cast<int>(
      syscall(SYS_epoll_pwait, descriptor, events, most, timeout_ms, nullptr, kernel_signal_set_bytes));
}

int poll(pollfd* what, nfds_t count, int timeout_ms) {
  yields = 0;
  const bool wait = timeout_ms == 0 && count > 0 && take_found_nothing();
  timespec time = longest_wait;
  if (!wait) {
    time = {timeout_ms / 1000, timeout_ms % 1000 * 1'000'000L};
  }
  return static_cast<int>(
      syscall(SYS_ppoll, what, count, timeout_ms < 0 ? nullptr : &time, nullptr, kernel_signal_set_bytes));
}

} // extern "C"
