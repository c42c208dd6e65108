#pragma once
#include <chrono>

namespace ddltrain {

/// Seconds of the machine's monotonic clock, from an arbitrary start.
inline double now_s() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

} // namespace ddltrain
