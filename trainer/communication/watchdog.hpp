#pragma once
// Notices that a job no longer gets on, and names the rank that holds it up.

#include "trainer/communication/mpi_communicator.hpp"

#include <condition_variable>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <vector>

namespace ddltrain {

/// When a rank has waited too long for its next step or repetition.
struct StallLimits {
  double least_s = 60;      ///< nothing below is too long
  double times_median = 10; ///< of the steps so far; what is longer than both is
};

/// Seconds without a step that are too long, after steps that took `steps_s`.
double stall_limit_s(const StallLimits& limits, const std::vector<double>& steps_s);

/// How far each rank has come: steps or repetitions done, by rank; none of a rank that does not answer.
using RankProgress = std::vector<std::optional<std::int64_t>>;

/// What is wrong, for a person: "rank 1 on host vm does not answer", or which rank is behind the others, or that all
/// wait for messages. hosts: by rank. waited_s: without a step.
std::string stall_text(const RankProgress& progress, const std::vector<std::string>& hosts, double waited_s);

/// Watches one rank's progress with a thread of its own, which sleeps but for a look four times a second. When rank 0
/// has waited too long it asks all ranks how far they have come, says who does not answer or is behind, and ends the
/// job; rank 1 does so when rank 0 does not answer.
class Watchdog {
public:
  /// Ends the job, telling of the failure; does not return.
  using Fail = std::function<void(std::exception_ptr failure)>;

  /// hosts: by rank of `world`. Watches from the first beat on. Collective.
  Watchdog(MpiCommunicator& world, std::vector<std::string> hosts, const StallLimits& limits, Fail fail);
  ~Watchdog();
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// A step or repetition is done, and the next begins. Ranks that never call it (servers) are watched all the same.
  void beat();
  /// Nothing is waited for until the next beat.
  void rest();
  /// `check` is called now and then, by the watchdog's thread; what it throws for two seconds ends the job (of a dead
  /// rank the launcher tells first). For what fails without
  /// anybody's call returning; replaces the check before, {} takes it away.
  void set_check(std::function<void()> check);

private:
  void look();
  void run();
  bool stalled(double& waited_s);
  void conclude(double waited_s);
  void answer(std::int64_t done);
  RankProgress ask_all(std::int64_t done, double seconds);

  std::unique_ptr<MpiCommunicator> ranks_;
  std::vector<std::string> hosts_;
  StallLimits limits_;
  Fail fail_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool stop_ = false;
  std::int64_t done_ = 0;
  double last_beat_s_ = -1; ///< negative: at rest
  std::vector<double> steps_s_;
  std::function<void()> check_;
  double failing_since_s_ = -1; ///< of the check; negative: it does not fail
  std::thread thread_;          // last: it uses the others
};

} // namespace ddltrain
