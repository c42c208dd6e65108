#include "trainer/compute/timed_wait.hpp"

#include <sys/prctl.h>

#include <cerrno>
#include <cmath>
#include <ctime>

namespace ddltrain {

void ask_for_exact_timers() {
  constexpr unsigned long slack_ns = 1000;
  ::prctl(PR_SET_TIMERSLACK, slack_ns);
}

void wait_until(double time_s) {
  constexpr double nanoseconds = 1e9;
  const double whole = std::floor(time_s);
  timespec time{};
  time.tv_sec = static_cast<std::time_t>(whole);
  time.tv_nsec = static_cast<long>((time_s - whole) * nanoseconds);
  // steady_clock is CLOCK_MONOTONIC in libstdc++ on Linux.
  while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &time, nullptr) == EINTR) {
  }
}

} // namespace ddltrain
