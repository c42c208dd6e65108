#pragma once
// Times of steps that a device is given several of before it is waited for, as real training does: a step that begins
// on an idle GPU is paced by the host, which issues its work.

#include "trainer/records/statistics.hpp"
#include "trainer/timing/layer_timer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

/// Steps that a GPU is given before it is waited for, unless the user says otherwise. On a processor, where work is
/// done when the call returns, each step is timed alone.
inline constexpr std::size_t kQueuedSteps = 10;

/// The requested number; 0: the usual one of the device. Throws UserError for more than one step on a processor.
std::size_t queued_steps_on(const std::string& device, std::size_t requested);

/// How many steps were waited for together, and where the host was slower than the device.
struct QueueCount {
  std::size_t queued = 1;     ///< steps in one go
  std::size_t waits = 0;      ///< times the device was waited for
  std::size_t host_paced = 0; ///< of them, how often it had little left to do
};

/// Whether the device, waited for during `backlog_s`, still had at least half a step of `step_s` to do.
inline bool device_was_the_pace(double backlog_s, double step_s) {
  return backlog_s >= step_s / 2;
}

/// "10 steps queued at a time; the host set the pace in 3 of 12 queues, whose steps count their mean". "" for steps
/// that were timed alone.
std::string queue_text(const QueueCount& count);

/// A loop calls begin_step, runs the step, and calls end_step; when that says so, or at the loop's end, settle.
class StepClock {
public:
  StepClock(Marks& marks, std::size_t queued, std::function<double()> now = now_s);

  void begin_step();
  /// Returns whether the queue is full.
  bool end_step();
  /// Waits for the device. Returns the seconds of each step since it was waited for last: each step's own where the
  /// device was the pace, else their mean, since marks then show the host.
  std::vector<double> settle();

  const QueueCount& count() const { return count_; }

private:
  Marks& marks_;
  std::function<double()> now_;
  std::vector<std::size_t> ends_; ///< marks: the first step's begin, then the steps' ends
  QueueCount count_;
};

} // namespace ddltrain
