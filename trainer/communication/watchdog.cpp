#include "trainer/communication/watchdog.hpp"

#include "trainer/records/statistics.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

namespace ddltrain {
namespace {

constexpr double kLook_s = 0.25;         ///< between two looks at the own progress
constexpr double kAnswers_s = 5;         ///< to answer in: some looks, on a busy machine too
constexpr std::size_t kStepsKept = 1000; ///< the median needs no more
constexpr int kJudges = 2;               ///< ranks 0 and 1 may end the job
constexpr int kAskTag = 1;
constexpr int kAnswerTag = 2;

std::string name_of(std::size_t rank, const std::vector<std::string>& hosts) {
  return fmt::format("rank {} on host {}", rank, hosts[rank]);
}

std::string names(const std::vector<std::size_t>& ranks, const std::vector<std::string>& hosts) {
  std::string text;
  for (const std::size_t rank : ranks) text += (text.empty() ? "" : ", ") + name_of(rank, hosts);
  return text;
}

} // namespace

double stall_limit_s(const StallLimits& limits, const std::vector<double>& steps_s) {
  if (steps_s.empty()) return limits.least_s;
  return std::max(limits.least_s, limits.times_median * summarise(steps_s).median);
}

std::string stall_text(const RankProgress& progress, const std::vector<std::string>& hosts, double waited_s) {
  std::vector<std::size_t> silent;
  std::vector<std::size_t> behind;
  std::int64_t most = 0;
  for (const auto& done : progress) most = std::max(most, done.value_or(0));
  for (std::size_t rank = 0; rank < progress.size(); ++rank) {
    if (!progress[rank]) {
      silent.push_back(rank);
    } else if (*progress[rank] > 0 && *progress[rank] < most) { // servers count no steps
      behind.push_back(rank);
    }
  }
  const std::string since = fmt::format("for {:.0f} s", waited_s);
  if (!silent.empty()) {
    return fmt::format("{} {} not answer, and the job has not got on {}", names(silent, hosts),
                       silent.size() == 1 ? "does" : "do", since);
  }
  if (!behind.empty()) {
    return fmt::format("{} {}, and the others have waited {}", names(behind, hosts),
                       behind.size() == 1 ? "is behind, though it answers" : "are behind, though they answer", since);
  }
  return fmt::format(
      "all ranks answer, but none has got on {}: one works without end, or messages between them are lost", since);
}

Watchdog::Watchdog(MpiCommunicator& world, std::vector<std::string> hosts, const StallLimits& limits, Fail fail)
    : ranks_(world.duplicate()), hosts_(std::move(hosts)), limits_(limits), fail_(std::move(fail)),
      thread_([this] { run(); }) {}

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
  const double time_s = now_s();
  ++done_;
  if (last_beat_s_ >= 0 && steps_s_.size() < kStepsKept) steps_s_.push_back(time_s - last_beat_s_);
  last_beat_s_ = time_s;
}

void Watchdog::rest() {
  const std::lock_guard lock(mutex_);
  last_beat_s_ = -1;
}

void Watchdog::set_check(std::function<void()> check) {
  const std::lock_guard lock(mutex_);
  check_ = std::move(check);
}

/// Called with the lock held.
bool Watchdog::stalled(double& waited_s) {
  if (last_beat_s_ < 0) return false;
  waited_s = now_s() - last_beat_s_;
  return waited_s > stall_limit_s(limits_, steps_s_);
}

void Watchdog::run() {
  try {
    std::unique_lock lock(mutex_);
    while (!stop_) {
      if (check_) check_(); // under the lock, so that what it looks at can be taken away
      answer(done_);
      double waited_s = 0;
      if (ranks_->rank() < kJudges && ranks_->size() > 1 && stalled(waited_s)) {
        lock.unlock();
        conclude(waited_s);
        lock.lock();
        if (last_beat_s_ >= 0) last_beat_s_ = now_s(); // the other judge has it in hand
      }
      changed_.wait_for(lock, std::chrono::duration<double>(kLook_s));
    }
  } catch (...) {
    fail_(std::current_exception());
  }
}

void Watchdog::answer(std::int64_t done) {
  while (const auto question = ranks_->receive_number(kAskTag)) ranks_->leave_number(done, question->first, kAnswerTag);
}

RankProgress Watchdog::ask_all(std::int64_t done, double seconds) {
  const int rank = ranks_->rank();
  RankProgress progress(hosts_.size());
  progress[static_cast<std::size_t>(rank)] = done;
  for (int to = 0; to < ranks_->size(); ++to) {
    if (to != rank) ranks_->leave_number(done, to, kAskTag);
  }
  const double until_s = now_s() + seconds;
  while (now_s() < until_s) {
    answer(done);
    while (const auto told = ranks_->receive_number(kAnswerTag)) {
      progress[static_cast<std::size_t>(told->first)] = told->second;
    }
    std::unique_lock lock(mutex_);
    if (changed_.wait_for(lock, std::chrono::duration<double>(kLook_s), [this] { return stop_ || last_beat_s_ < 0; }))
      break;
  }
  return progress;
}

void Watchdog::conclude(double waited_s) {
  std::int64_t done = 0;
  {
    const std::lock_guard lock(mutex_);
    done = done_;
  }
  const double answers_s = kAnswers_s * (ranks_->rank() + 1); // rank 0 comes first
  const RankProgress progress = ask_all(done, answers_s);
  {
    const std::lock_guard lock(mutex_);
    if (stop_ || done != done_ || last_beat_s_ < 0) return; // it has got on meanwhile
  }
  if (ranks_->rank() > 0 && progress[0]) return; // rank 0 lives, and tells
  throw RunError(stall_text(progress, hosts_, waited_s + answers_s) +
                 "; the job has ended. Records written so far are kept. --stall-limit sets how long is too long");
}

} // namespace ddltrain
