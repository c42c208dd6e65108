#include "trainer/communication/rank_watch.hpp"

#include "trainer/records/statistics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddltrain {
namespace {

constexpr double longest_gap_s = 1;
constexpr double longest_interval_s = 5;
constexpr std::size_t steps_kept = 1000; ///< number of steps kept; the median needs no more

std::string seconds_text(double seconds) {
  return fmt::format("for {:.0f} s", seconds);
}

} // namespace

double stall_limit_s(const StallLimits& limits, const std::vector<double>& steps_s) {
  if (steps_s.empty()) return limits.least_s;
  return std::max(limits.least_s, limits.times_median * summarise(steps_s).median);
}

double sign_interval_s(const StallLimits& limits) {
  constexpr double in_a_limit = 10;
  return std::min(longest_interval_s, limits.least_s / in_a_limit);
}

RankWatch::RankWatch(std::vector<std::string> hosts, int own, const StallLimits& limits, Steps steps)
    : hosts_(std::move(hosts)), own_(own), limits_(limits), steps_(steps), others_(hosts_.size()) {}

void RankWatch::look(double now_s) {
  if (clock_s_ >= 0) watched_s_ += std::min(now_s - clock_s_, longest_gap_s);
  clock_s_ = now_s;
}

void RankWatch::heard_of(int rank, std::int64_t done) {
  Other& other = others_.at(static_cast<std::size_t>(rank));
  other.heard_s = watched_s_;
  other.done = done;
}

void RankWatch::has_left(int rank) {
  others_.at(static_cast<std::size_t>(rank)).left = true;
}

void RankWatch::beat(double now_s) {
  ++done_;
  if (beat_s_ >= 0 && steps_s_.size() < steps_kept) steps_s_.push_back(now_s - stepped_s_);
  beat_s_ = watched_s_;
  stepped_s_ = now_s;
  if (steps_ == Steps::alone) return;
  for (Other& other : others_) other.heard_s = watched_s_;
}

void RankWatch::rest() {
  beat_s_ = -1;
}

std::vector<int> RankWatch::silent_for(double seconds) const {
  std::vector<int> ranks;
  for (int rank = 0; rank < static_cast<int>(others_.size()); ++rank) {
    const Other& other = others_[static_cast<std::size_t>(rank)];
    if (rank != own_ && !other.left && watched_s_ - other.heard_s > seconds) ranks.push_back(rank);
  }
  return ranks;
}

std::string RankWatch::name_of(int rank) const {
  return fmt::format("rank {} on host {}", rank, hosts_[static_cast<std::size_t>(rank)]);
}

std::string RankWatch::text_of_silent(const std::vector<int>& ranks) const {
  std::string names;
  double longest_s = 0;
  for (const int rank : ranks) {
    names += (names.empty() ? "" : ", ") + name_of(rank);
    longest_s = std::max(longest_s, watched_s_ - others_[static_cast<std::size_t>(rank)].heard_s);
  }
  return fmt::format("{} {} not answered {}", names, ranks.size() == 1 ? "has" : "have", seconds_text(longest_s));
}

/// Returns the text for the case that all ranks answer and yet this rank waits.
std::string RankWatch::text_of_stall(double waited_s) const {
  std::int64_t most = done_;
  for (const Other& other : others_) most = std::max(most, other.done);
  std::string behind;
  int count = 0;
  for (int rank = 0; rank < static_cast<int>(others_.size()); ++rank) {
    const Other& other = others_[static_cast<std::size_t>(rank)];
    const std::int64_t done = rank == own_ ? done_ : other.done;
    if (other.left || done == 0 || done == most) continue; // servers do not count steps, so they are skipped
    behind += (count++ == 0 ? "" : ", ") + name_of(rank);
  }
  const std::string since = seconds_text(waited_s);
  if (count > 0) {
    return fmt::format("{} {}, and the others have waited {}", behind,
                       count == 1 ? "is behind, though it answers" : "are behind, though they answer", since);
  }
  return fmt::format(
      "all ranks answer, but none has got on {}: one works without end, or messages between them are lost", since);
}

std::optional<std::string> RankWatch::verdict() const {
  const std::vector<int> silent = silent_for(limits_.least_s);
  const bool zero_is_silent = !silent.empty() && silent.front() == 0;
  if (own_ > 1 || (own_ == 1 && !zero_is_silent)) return std::nullopt;
  const auto gone = [](const Other& other) { return other.left; };
  if (std::count_if(others_.begin(), others_.end(), gone) + 1 == std::ssize(others_))
    return std::nullopt; // there is no other rank to wait for
  if (!silent.empty()) return text_of_silent(silent);
  const double waited_s = beat_s_ < 0 ? 0 : watched_s_ - beat_s_;
  if (waited_s <= stall_limit_s(limits_, steps_s_)) return std::nullopt;
  // Signs come several times within a limit. A rank from which none came for half of it has stopped since the last
  // step.
  const std::vector<int> stopped = silent_for(limits_.least_s / 2);
  return stopped.empty() ? text_of_stall(waited_s) : text_of_silent(stopped);
}

} // namespace ddltrain
