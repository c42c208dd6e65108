#pragma once
// Notices that a job makes no progress, and names the rank that holds it up.

#include "trainer/communication/mpi_communicator.hpp"
#include "trainer/communication/rank_watch.hpp"

#include <condition_variable>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace ddltrain {

/// A thread of each rank, which sleeps except for four looks a second. Every few seconds it tells ranks 0 and 1 that
/// this rank is running and how many steps it has done, whatever the rank does meanwhile. Rank 0 ends the job, and
/// names the rank, when one has given no sign for too long, or when its own step takes too long. Rank 1 does so when
/// rank 0 is the silent one.
class Watchdog {
public:
  /// Reports the failure and ends the job. It does not return.
  using Fail = std::function<void(std::exception_ptr failure)>;

  /// `hosts` is by rank of `world`. All ranks must call it. Ranks are watched until their destructor runs, which may be
  /// much later on another rank.
  Watchdog(MpiCommunicator& world, std::vector<std::string> hosts, const StallLimits& limits, Steps steps, Fail fail);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Notes that a step or repetition is done, and the next one begins. Time is watched from the first one on. Ranks
  /// that never call it (servers) are watched too.
  void beat();
  /// Notes that nothing is waited for until the next beat, because what is done meanwhile may take long. Ranks must
  /// still answer.
  void rest();
  /// Sets a function that the watchdog's thread calls now and then, for failures in which no call returns. What it
  /// throws for five seconds ends the job; the launcher reports a dead rank first. It replaces the function set before;
  /// {} removes it.
  void set_check(std::function<void()> check);

private:
  void run();
  void look();
  std::vector<std::pair<int, std::int64_t>> signs_of_others();
  std::int64_t judge(double time_s, const std::vector<std::pair<int, std::int64_t>>& signs);
  void send_sign(std::int64_t number);
  bool pause();

  std::unique_ptr<MpiCommunicator> ranks_;
  StallLimits limits_;
  Fail fail_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  RankWatch watch_;
  std::function<void()> check_;
  double failing_since_s_ = -1; ///< since when the check fails; negative: it does not
  std::thread thread_;          // last member, because it uses the others
};

} // namespace ddltrain
