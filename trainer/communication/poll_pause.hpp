#pragma once
#include <chrono>
#include <thread>

namespace ddltrain {

/// How a thread that asks MPI again and again waits in between: it yields for a while, since the next message is often
/// microseconds away, then sleeps, since ranks may be more than cores and compute needs them.
class PollPause {
public:
  void found() { idle_polls_ = 0; }

  void found_nothing() {
    if (++idle_polls_ < kYields) {
      std::this_thread::yield();
    } else {
      std::this_thread::sleep_for(kSleep);
    }
  }

private:
  static constexpr int kYields = 100;                           ///< some 50 us of asking on an idle core
  static constexpr auto kSleep = std::chrono::microseconds(20); ///< below the time of a small message over TCP

  int idle_polls_ = 0;
};

} // namespace ddltrain
