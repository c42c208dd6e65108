#pragma once
// How a thread waits for messages, the same in what trains and in what measures.

#include <functional>
#include <set>
#include <string>
#include <vector>

namespace ddltrain {

enum class WaitPolicy {
  in_mpi,      ///< inside MPI_Wait, as frameworks and benchmarks do: nothing passes between arrival and return
  share_cores, ///< asks MPI for spin_s, then sleeps sleep_s between two questions, so that compute gets the cores
};

/// Threads that want to run at the same time, and the cores they have.
struct CoreDemand {
  int threads = 1;
  int cores = 1;
};

/// Training waits inside MPI where every thread has a core of its own. Measuring commands always do: they compute
/// nothing beside.
WaitPolicy training_wait_policy(const CoreDemand& demand);

/// One rank's threads and where they may run.
struct RankOnCores {
  std::string machine; ///< ranks of one machine name the same: network namespaces and containers share their kernel's
  int threads = 1;
  std::set<int> cores;
};

/// Of all machines, and all ranks by themselves (a rank may be bound to fewer cores than it has threads), the one with
/// the most threads a core. ranks: at least one.
CoreDemand busiest(const std::vector<RankOnCores>& ranks);

/// This process: its kernel's boot, and the cores of its affinity.
RankOnCores this_rank_on_cores(int threads);

/// As a line of text, and back; for telling other ranks.
std::string to_text(const RankOnCores& rank);
RankOnCores rank_on_cores(const std::string& text);

/// "waits inside MPI", "asks MPI for 1 ms, then sleeps 20 us between questions": for a record's note.
std::string text_of(WaitPolicy policy);

/// A message of a gradient's size takes up to about this long, and it moves only while somebody asks.
inline constexpr double spin_s = 1e-3;
/// Below the time of a small message over TCP.
inline constexpr double sleep_s = 20e-6;

/// The clock and the sleep of WaitPause; tests give it their own.
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
  double idle_since_s_ = -1; ///< negative: something was found last
};

} // namespace ddltrain
