#pragma once
// Which ranks of a job are still running, and whether the job makes progress. It holds what one rank knows of the
// others, without threads, messages or a clock of its own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddltrain {

/// The limits after which a rank has waited too long for its next step or repetition, or for a sign of another rank.
struct StallLimits {
  double least_s = 60; ///< shortest limit in seconds; a rank that has given no sign for this long is taken for dead
  /// factor on the median of the steps so far; a step longer than this and than least_s is too long
  double times_median = 10;
};

/// Returns the seconds above which a step is too long, after steps that took `steps_s`.
double stall_limit_s(const StallLimits& limits, const std::vector<double>& steps_s);

/// Returns how often a rank tells ranks 0 and 1 that it is running: several times within the limit.
double sign_interval_s(const StallLimits& limits);

/// Whether each step of a rank shows that all others are running.
enum class Steps {
  together, ///< yes, because ranks wait for each other in each step
  alone,    ///< no, with asynchronous servers, or where ranks exchange nothing
};

/// What rank `own` knows. Every call states the time now, in seconds of one clock.
class RankWatch {
public:
  /// `hosts` is by rank.
  RankWatch(std::vector<std::string> hosts, int own, const StallLimits& limits, Steps steps);

  /// Tells the time. A gap longer than a second counts as one second, because this process was then stopped itself or
  /// got no core, and the silence of others says nothing.
  void look(double now_s);
  /// Notes a sign of a rank, which has done this many steps; servers do none.
  void heard_of(int rank, std::int64_t done);
  /// Notes that the rank has done its part of the job, and will give no more signs.
  void has_left(int rank);

  /// Notes that this rank has done a step or repetition, and begins the next one.
  void beat(double now_s);
  /// Notes that no step is running until the next beat, so that none is waited for. Signs of others are still expected.
  void rest();

  /// Returns the number of steps or repetitions that this rank has done.
  std::int64_t done() const { return done_; }

  /// Returns what is wrong, for a person; nothing while nothing is, and where another rank reports. Rank 0 reports, or
  /// rank 1 where rank 0 is the silent one.
  std::optional<std::string> verdict() const;

private:
  struct Other {
    double heard_s = 0;
    std::int64_t done = 0;
    bool left = false;
  };

  std::vector<int> silent_for(double seconds) const;
  std::string text_of_silent(const std::vector<int>& ranks) const;
  std::string text_of_stall(double waited_s) const;
  std::string name_of(int rank) const;

  std::vector<std::string> hosts_;
  int own_;
  StallLimits limits_;
  Steps steps_;
  std::vector<Other> others_; ///< other ranks, by rank, with this one
  std::int64_t done_ = 0;
  double clock_s_ = -1;   ///< clock at the last look; negative: there was none
  double watched_s_ = 0;  ///< seconds watched, as far as they count
  double beat_s_ = -1;    ///< watched_s_ at the last beat; negative: at rest
  double stepped_s_ = -1; ///< clock at the last beat
  std::vector<double> steps_s_;
};

} // namespace ddltrain
