#include "trainer/communication/watchdog.hpp"

#include "trainer/records/statistics.hpp"
#include "trainer/run_error.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

namespace ddltrain {
namespace {

constexpr double look_s = 0.25; ///< time between two looks
/// time before a report; the launcher reports a dead rank first, and that is the cause
constexpr double fail_after_s = 5;
constexpr int judge_ranks = 2;           ///< number of ranks that may end the job: ranks 0 and 1
constexpr int sign_tag = 1;              ///< tag of numbers: of the steps done, or kLeaves
constexpr std::int64_t leaves_sign = -1; ///< says that the rank has done its part

} // namespace

Watchdog::Watchdog(MpiCommunicator& world, std::vector<std::string> hosts, const StallLimits& limits, Steps steps,
                   Fail fail)
    : ranks_(world.duplicate()), limits_(limits), fail_(std::move(fail)),
      watch_(std::move(hosts), world.rank(), limits, steps), thread_([this] { run(); }) {}

Watchdog::~Watchdog() {
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void Watchdog::beat() {
  const std::lock_guard lock(mutex_);
  watch_.beat(now_s());
}

void Watchdog::rest() {
  const std::lock_guard lock(mutex_);
  watch_.rest();
}

void Watchdog::set_check(std::function<void()> check) {
  const std::lock_guard lock(mutex_);
  check_ = std::move(check);
}

void Watchdog::look() {
  const std::lock_guard lock(mutex_); // held so that what is looked at can be removed
  try {
    if (check_) check_();
    failing_since_s_ = -1;
  } catch (...) {
    if (failing_since_s_ < 0) failing_since_s_ = now_s();
    if (now_s() - failing_since_s_ >= fail_after_s) throw;
  }
}

void Watchdog::send_sign(std::int64_t number) {
  for (int judge = 0; judge < std::min(judge_ranks, ranks_->size()); ++judge) {
    if (judge != ranks_->rank()) ranks_->leave_number(number, judge, sign_tag);
  }
}

std::vector<std::pair<int, std::int64_t>> Watchdog::signs_of_others() {
  std::vector<std::pair<int, std::int64_t>> signs;
  while (const auto sign = ranks_->receive_number(sign_tag)) signs.push_back(*sign);
  return signs;
}

std::int64_t Watchdog::judge(double time_s, const std::vector<std::pair<int, std::int64_t>>& signs) {
  const std::lock_guard lock(mutex_);
  watch_.look(time_s);
  for (const auto& [rank, done] : signs) done == leaves_sign ? watch_.has_left(rank) : watch_.heard_of(rank, done);
  if (const auto wrong = watch_.verdict()) {
    throw RunError(*wrong +
                   "; the job has ended. Records written so far are kept. --stall-limit sets how long is too long");
  }
  return watch_.done();
}

/// Sleeps until the next look. Returns whether the watch continues.
bool Watchdog::pause() {
  std::unique_lock lock(mutex_);
  return !changed_.wait_for(lock, std::chrono::duration<double>(look_s), [this] { return stop_; });
}

void Watchdog::run() {
  try {
    double without_input_s = -limits_.least_s;
    do {
      look();
      const double time_s = now_s();
      const std::int64_t done =
          judge(time_s, signs_of_others()); // no lock is held while MPI works, because a step must not wait for it
      if (time_s - without_input_s < sign_interval_s(limits_)) continue;
      send_sign(done);
      without_input_s = time_s;
    } while (pause());
    send_sign(leaves_sign);
  } catch (...) {
    fail_(std::current_exception());
  }
}

} // namespace ddltrain
