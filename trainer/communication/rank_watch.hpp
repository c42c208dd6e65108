#pragma once
// Who of a job's ranks is still there, and whether the job gets on: what one rank knows of the others, without threads,
// messages or a clock of its own.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ddltrain {

/// When a rank has waited too long for its next step or repetition, or for a sign of another rank.
struct StallLimits {
  double least_s = 60;      ///< nothing below is too long; a rank from which nothing was heard for longer is gone
  double times_median = 10; ///< of the steps so far; a step longer than both is too long
};

/// Seconds of a step that are too long, after steps that took `steps_s`.
double stall_limit_s(const StallLimits& limits, const std::vector<double>& steps_s);

/// How often a rank tells rank 0 and rank 1 that it is there: several times within the limit.
double sign_interval_s(const StallLimits& limits);

/// Whether each step of a rank shows that all others live.
enum class Steps {
  together, ///< ranks wait for each other in each step
  alone,    ///< asynchronous servers, or nothing that ranks exchange
};

/// What rank `own` knows. Every call comes with the time now, in seconds of one clock.
class RankWatch {
public:
  /// hosts: by rank.
  RankWatch(std::vector<std::string> hosts, int own, const StallLimits& limits, Steps steps);

  /// Time goes on. A gap longer than a second counts one: then this process was stopped itself, or got no core, and
  /// others' silence says nothing of them.
  void look(double now_s);
  /// A sign of a rank, which has done so many steps; servers do none.
  void heard_of(int rank, std::int64_t done);
  /// The rank has done its part of the job, and will not be heard of again.
  void has_left(int rank);

  /// This rank has done a step or repetition, and the next begins.
  void beat(double now_s);
  /// No step is under way, and none is waited for until the next beat. Signs of others are.
  void rest();

  /// Steps or repetitions that this rank has done.
  std::int64_t done() const { return done_; }

  /// What is wrong, for a person; none while nothing is, and where another rank is the one to tell. That is rank 0, or
  /// where rank 0 is the one that is silent, rank 1.
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
  std::vector<Other> others_; ///< by rank, this one too
  std::int64_t done_ = 0;
  double clock_s_ = -1;   ///< at the last look; negative: none yet
  double watched_s_ = 0;  ///< that count
  double beat_s_ = -1;    ///< at the last beat, of those that count; negative: at rest
  double stepped_s_ = -1; ///< the same of the clock
  std::vector<double> steps_s_;
};

} // namespace ddltrain
