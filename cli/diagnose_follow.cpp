#include "cli/diagnose_follow.hpp"

#include "sim/base/error.hpp"

#include <chrono>
#include <csignal>
#include <thread>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

volatile std::sig_atomic_t interrupted = 0;

void interrupt(int /*signal*/) {
  interrupted = 1;
}

/// While an object of this class lives, SIGINT and SIGTERM set `interrupted`. Its destructor restores the earlier
/// handlers.
class Interruptible {
public:
  Interruptible() : of_terminal_(std::signal(SIGINT, interrupt)), of_system_(std::signal(SIGTERM, interrupt)) {
    interrupted = 0;
  }
  ~Interruptible() {
    std::signal(SIGINT, of_terminal_);
    std::signal(SIGTERM, of_system_);
  }
  Interruptible(const Interruptible&) = delete;
  Interruptible& operator=(const Interruptible&) = delete;

private:
  void (*of_terminal_)(int);
  void (*of_system_)(int);
};

/// The size of a file and the time when it was written; empty if it does not exist.
struct FileState {
  bool is_there = false;
  std::uintmax_t bytes = 0;
  fs::file_time_type at{};

  bool operator==(const FileState&) const = default;
};

std::vector<FileState> file_states(const std::vector<fs::path>& files) {
  std::vector<FileState> all;
  for (const auto& file : files) {
    std::error_code missing;
    FileState one;
    one.bytes = fs::file_size(file, missing);
    one.is_there = !missing;
    if (one.is_there) one.at = fs::last_write_time(file, missing);
    all.push_back(one.is_there ? one : FileState{});
  }
  return all;
}

/// Sleeps in short pieces, so that a signal ends the sleep.
void sleep_for(double seconds) {
  constexpr auto nap = std::chrono::milliseconds(50);
  const auto end = Clock::now() + std::chrono::duration<double>(seconds);
  while (interrupted == 0 && Clock::now() < end) std::this_thread::sleep_for(nap);
}

} // namespace

bool has_changed(const std::optional<Diagnosis>& shown_diagnosis, const Diagnosis& now) {
  if (!shown_diagnosis || shown_diagnosis->verdict != now.verdict) return true;
  return now.verdict == Verdict::not_normal &&
         shown_diagnosis->causes.front().row.fault != now.causes.front().row.fault;
}

Diagnosis follow(const FollowOptions& options) {
  const Interruptible signals;
  const auto start = Clock::now();
  const auto is_over = [&] {
    const std::chrono::duration<double> passed = Clock::now() - start;
    return interrupted != 0 || (options.for_s > 0 && passed.count() >= options.for_s);
  };
  std::optional<std::vector<FileState>> seen;
  std::optional<Diagnosis> shown_diagnosis;
  std::optional<Diagnosis> last;
  std::optional<UserError> why_not;
  do {
    const auto now = file_states(options.files);
    if (seen != now) {
      seen = now;
      try {
        last = options.diagnose();
        if (has_changed(shown_diagnosis, *last)) options.on_change(*(shown_diagnosis = last));
      } catch (const UserError& error) {
        if (!why_not && !last) options.on_wait(error.what());
        why_not = error;
      }
    }
    if (!is_over()) sleep_for(options.poll_s);
  } while (!is_over());
  if (!last) throw why_not ? *why_not : UserError("", "", "nothing was measured while the log was followed");
  return *last;
}

} // namespace ddlsim
