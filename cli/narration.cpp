#include "cli/commands.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace ddlsim {
namespace {

using Clock = std::chrono::steady_clock;

struct ProgressLine {
  Clock::time_point begun = Clock::now();
  bool shown = false;

  ProgressLine() = default;
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;
  ~ProgressLine() {
    if (shown) std::fputs("\r\033[K", stderr);
  }

  void show(const std::string& what) {
    constexpr std::chrono::seconds patience{1};
    if (Clock::now() - begun < patience) return;
    fmt::print(stderr, "\r\033[K{}", what);
    std::fflush(stderr);
    shown = true;
  }
};

} // namespace

std::function<void(const std::string&)> make_progress(bool quiet) {
  if (quiet || isatty(STDERR_FILENO) == 0) return {};
  auto line = std::make_shared<ProgressLine>();
  return [line](const std::string& what) { line->show(what); };
}

} // namespace ddlsim
