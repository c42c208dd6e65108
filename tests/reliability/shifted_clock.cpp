// Loaded before a program (LD_PRELOAD), gives one rank of an Open MPI job other clocks than the rest of them.
//   SHIFTED_RANK=1 SHIFTED_WALL_S=-86400         that rank's wall clock is a day behind
//   SHIFTED_RANK=1 SHIFTED_WALL_S=3600 SHIFTED_JUMPS=1   and every second reading is an hour ahead
//   SHIFTED_RANK=1 SHIFTED_MONOTONIC_S=1000000   its host has been up for longer
#include <sys/time.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <dlfcn.h>
#include <pthread.h>

namespace {

struct Shift {
  long wall_s = 0;
  long monotonic_s = 0;
  bool jumps = false;
};

long number(const char* name) {
  const char* const text = std::getenv(name);
  return text == nullptr ? 0 : std::atol(text);
}

const Shift& shift() {
  static const Shift one = [] {
    const char* const chosen = std::getenv("SHIFTED_RANK");
    const char* const own = std::getenv("OMPI_COMM_WORLD_RANK");
    if (chosen == nullptr || own == nullptr || std::strcmp(chosen, own) != 0) return Shift{};
    return Shift{number("SHIFTED_WALL_S"), number("SHIFTED_MONOTONIC_S"), number("SHIFTED_JUMPS") != 0};
  }();
  return one;
}

long shift_s(clockid_t clock) {
  static std::atomic<unsigned> readings = 0;
  if (clock == CLOCK_MONOTONIC || clock == CLOCK_MONOTONIC_RAW) return shift().monotonic_s;
  if (clock != CLOCK_REALTIME) return 0;
  return shift().jumps && readings++ % 2 == 0 ? 0 : shift().wall_s;
}

template <class Function> Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name)); // NOLINT: what dlsym is for
}

} // namespace

extern "C" {

int clock_gettime(clockid_t clock, timespec* time) {
  static auto* const real = next<int(clockid_t, timespec*)>("clock_gettime");
  const int status = real(clock, time);
  if (status == 0) time->tv_sec += shift_s(clock);
  return status;
}

int gettimeofday(timeval* time, void*) {
  timespec now{};
  const int status = clock_gettime(CLOCK_REALTIME, &now);
  *time = {now.tv_sec, now.tv_nsec / 1000};
  return status;
}

time_t time(time_t* also) {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (also != nullptr) *also = now.tv_sec;
  return now.tv_sec;
}

/// A deadline by the shifted clock is one of the kernel's clock.
int pthread_cond_clockwait(pthread_cond_t* condition, pthread_mutex_t* mutex, clockid_t clock, const timespec* until) {
  static auto* const real =
      next<int(pthread_cond_t*, pthread_mutex_t*, clockid_t, const timespec*)>("pthread_cond_clockwait");
  timespec there = *until;
  if (clock == CLOCK_MONOTONIC) there.tv_sec -= shift().monotonic_s;
  return real(condition, mutex, clock, &there);
}

} // extern "C"
