#pragma once
// How a thread waits for messages, in commands that train and in those that measure.

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ddltrain {

enum class WaitPolicy {
  in_mpi, ///< waits inside MPI_Wait, as frameworks and benchmarks do, so that nothing passes between arrival and return
  share_cores, ///< asks MPI for spin_s, then sleeps sleep_s between two questions, so that compute gets the cores
};

/// The number of threads that want to run at the same time, and of the cores that they have.
struct CoreDemand {
  int threads = 1;
  int cores = 1;
};

/// Returns how training waits: inside MPI where every thread has a core of its own. Measuring commands always wait
/// inside MPI, because they compute nothing.
WaitPolicy training_wait_policy(const CoreDemand& demand);

/// The threads of one rank, and where they may run.
struct RankOnCores {
  /// name that is the same for all ranks of a machine; network namespaces and containers share that of their kernel
  std::string machine;
  int threads = 1;
  std::set<int> cores;
};

/// Returns the one with the most threads a core, of all machines and of all single ranks, because a rank may be bound
/// to fewer cores than it has threads. There must be at least one rank.
CoreDemand busiest(const std::vector<RankOnCores>& ranks);

/// Returns the values of this process: its kernel's boot id, and the cores of its affinity.
RankOnCores this_rank_on_cores(int threads);

/// These convert to a line of text and back, so that ranks can send it to each other.
std::string to_text(const RankOnCores& rank);
RankOnCores rank_on_cores(const std::string& text);

/// Returns the policy for a record's note: "waits inside MPI", "asks MPI for 1 ms, then sleeps 20 us between
/// questions".
std::string text_of(WaitPolicy policy);

/// Time for which a thread asks MPI. A message of a gradient's size takes up to about this long, and it moves only
/// while somebody asks.
inline constexpr double spin_s = 1e-3;
/// Time of a sleep, below that of a small message over TCP.
inline constexpr double sleep_s = 20e-6;

/// The clock and the sleep of WaitPause. Tests replace them.
struct WaitClock {
  std::function<double()> now_s;
  std::function<void(double seconds)> sleep;
};
WaitClock machine_wait_clock();

/// What a thread does between two questions to MPI: nothing, or by share_cores a sleep once nothing has been found for
/// spin_s. It never yields: on a busy machine that gives away milliseconds, while a sleeper is woken at once.
class WaitPause {
public:
  explicit WaitPause(WaitPolicy policy, WaitClock clock = machine_wait_clock());
  void found();
  void found_nothing();

private:
  WaitPolicy policy_;
  WaitClock clock_;
  double idle_since_s_ = -1; ///< since when nothing was found; negative: something was found last
};

} // namespace ddltrain
