#pragma once
// Notices that a job no longer gets on, and names the rank that holds it up.

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

/// A thread of each rank, which sleeps but for a look four times a second. It tells ranks 0 and 1 every few seconds
/// that this rank is there and how far it has come, whatever the rank does meanwhile. Rank 0 ends the job, naming the
/// rank, when one has not been heard of for too long, or when its own step takes too long; rank 1 does when rank 0 is
/// the silent one.
class Watchdog {
public:
  /// Ends the job, telling of the failure; does not return.
  using Fail = std::function<void(std::exception_ptr failure)>;

  /// hosts: by rank of `world`. Collective. Ranks are watched until each one's destructor, which another rank may reach
  /// much later.
  Watchdog(MpiCommunicator& world, std::vector<std::string> hosts, const StallLimits& limits, Steps steps, Fail fail);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A step or repetition is done, and the next begins. Its time is watched from the first on; ranks that never call it
  /// (servers) are watched all the same.
  void beat();
  /// Nothing is waited for until the next beat: what is done meanwhile may take long. Ranks must go on answering.
  void rest();
  /// `check` is called now and then, by the watchdog's thread; what it throws for five seconds ends the job (of a
  /// dead rank the launcher tells first). For what fails without anybody's call returning; replaces the check before,
  /// {} takes it away.
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
  double failing_since_s_ = -1; ///< of the check; negative: it does not fail
  std::thread thread_;          // last: it uses the others
};

} // namespace ddltrain
