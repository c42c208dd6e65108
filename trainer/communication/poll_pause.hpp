#pragma once
#include <chrono>
#include <thread>

namespace ddltrain {

/// How a thread that asks MPI again and again waits in between: not at all for a while, since the next message is often
/// microseconds away, then it sleeps, since ranks may be more than cores and compute needs them. It never yields: on a
/// busy machine that gives away milliseconds, while a sleeper is woken at once.
class PollPause {
public:
  void found() { idle_polls_ = 0; }

  void found_nothing() {
    if (++idle_polls_ > kPolls) std::this_thread::sleep_for(kSleep);
  }

private:
  static constexpr int kPolls = 20;                             ///< some 10 us of asking
  static constexpr auto kSleep = std::chrono::microseconds(20); ///< below the time of a small message over TCP

  int idle_polls_ = 0;
};

} // namespace ddltrain
