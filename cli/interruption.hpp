#pragma once
// What a long run says when a person or the system ends it.

#include <atomic>
#include <csignal>
#include <functional>
#include <string>
#include <thread>

namespace ddlsim {

/// While an object of this class lives, the first SIGINT or SIGTERM prints one line on standard error and then ends the
/// program as it would without the object. A signal that the program ignores stays ignored. Processes that are forked
/// meanwhile end with the program, and not before.
class Interruption {
public:
  /// `words` returns the line. It runs in a thread of its own.
  explicit Interruption(std::function<std::string()> words);

  /// Waits for the end of the program if a signal has come, so that nothing is written after the line.
  ~Interruption();
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;

private:
  void wait() const;

  std::function<std::string()> words_;
  std::atomic<bool> is_over_ = false;
  sigset_t caught_{}; ///< the signals that the thread waits for
  sigset_t before_{}; ///< what was blocked before
  std::thread thread_;
};

} // namespace ddlsim
