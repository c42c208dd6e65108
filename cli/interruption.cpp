#include "cli/interruption.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <exception>
#include <unistd.h>
#include <utility>

namespace ddlsim {
namespace {

constexpr int wakes_the_thread = SIGUSR1;

bool is_ignored(int signal) {
  struct sigaction now {};
  return ::sigaction(signal, nullptr, &now) == 0 && now.sa_handler == SIG_IGN;
}

/// Ends the program by the signal, which nothing handles. The program's parent sees which signal it was.
void end_by(int signal) {
  sigset_t alone;
  ::sigemptyset(&alone);
  ::sigaddset(&alone, signal);
  ::pthread_sigmask(SIG_UNBLOCK, &alone, nullptr);
  ::raise(signal);
}

} // namespace

Interruption::Interruption(std::function<std::string()> words) : words_(std::move(words)) {
  ::sigemptyset(&caught_);
  ::sigaddset(&caught_, wakes_the_thread);
  for (const int signal : {SIGINT, SIGTERM})
    if (!is_ignored(signal)) ::sigaddset(&caught_, signal);
  ::pthread_sigmask(SIG_BLOCK, &caught_, &before_); // the thread inherits this
  thread_ = std::thread([this] { wait(); });
}

Interruption::~Interruption() {
  is_over_ = true;
  ::pthread_kill(thread_.native_handle(), wakes_the_thread);
  thread_.join();
  ::pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

void Interruption::wait() const {
  for (int signal = 0;;) {
    ::sigwait(&caught_, &signal);
    if (signal != wakes_the_thread) {
      const char* wipes_the_bar = ::isatty(STDERR_FILENO) != 0 ? "\r\033[K" : "";
      try {
        fmt::print(stderr, "{}{}\n", wipes_the_bar, words_());
      } catch (const std::exception&) { // nobody can read the line
      }
      end_by(signal);
    }
    if (is_over_) return;
  }
}

} // namespace ddlsim
