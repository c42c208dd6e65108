#include "cli/narration.hpp"

#include "sim/base/table.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>

#include <chrono>
#include <cstdio>
#include <memory>
#include <unistd.h>

namespace ddlsim {
namespace {

using Clock = std::chrono::steady_clock;

/// How long a command may be silent before it says what it does.
constexpr std::chrono::seconds patience{2};
/// Time between two lines of a log.
constexpr std::chrono::seconds between_lines{15};

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
    if (Clock::now() - begun < patience && !shown) return;
    fmt::print(stderr, "\r\033[K{}", what);
    std::fflush(stderr);
    shown = true;
  }
};

/// Lines for a file or a job's log, where a line cannot be erased.
struct ProgressLog {
  Clock::time_point last = Clock::now();

  void show(const std::string& what) {
    if (Clock::now() - last < between_lines) return;
    last = Clock::now();
    fmt::print(stderr, "{}\n", what);
    std::fflush(stderr);
  }
};

/// Returns the number of columns of the terminal at standard error; 80 if it does not state them.
std::size_t terminal_columns() {
  winsize size{};
  constexpr std::size_t usual = 80;
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

} // namespace

std::function<void(const std::string&)> make_progress(bool quiet) {
  if (quiet) return {};
  if (isatty(STDERR_FILENO) == 0)
    return [log = std::make_shared<ProgressLog>()](const std::string& what) { log->show(what); };
  auto line = std::make_shared<ProgressLine>();
  return [line](const std::string& what) { line->show(what); };
}

std::function<void(const PredictStage&)> make_stage_progress(bool quiet) {
  const auto show = make_progress(quiet);
  if (!show) return {};
  return [show](const PredictStage& stage) {
    const TaskCount count{stage.done, stage.done, stage.all}; // stages differ too much in length for a time left
    show(progress_text(count, "stages, now " + stage.name, 0, terminal_columns()));
  };
}

std::function<void(std::size_t, std::size_t)> make_task_progress(bool quiet, const std::string& tasks) {
  const auto show = make_progress(quiet);
  if (!show) return {};
  return [show, tasks, begun = Clock::now()](std::size_t ended, std::size_t count) {
    const std::chrono::duration<double> passed = Clock::now() - begun;
    show(progress_text({0, ended, count}, tasks, passed.count(), terminal_columns()));
  };
}

} // namespace ddlsim
