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
inline constexpr std::size_t usual_queued_steps = 10;

/// The requested number; 0: the usual one of the device. Throws UserError for more than one step on a processor.
std::size_t queued_steps_on(const std::string& device, std::size_t requested);

/// How many steps were waited for together, and where the host was slower than the device.
struct QueueCount {
  std::size_t queued = 1;     ///< steps in one go
  std::size_t waits = 0;      ///< times the device was waited for
  std::size_t host_paced = 0; ///< of them, how often the host had no lead
};

/// Whether the host had no lead in more than half of the waits: the steps' median is its. A step alone does not tell.
bool host_was_the_pace(const QueueCount& count);

/// A mark, and when the host had come to something of it.
struct HostMark {
  std::size_t mark = 0;
  double host_s = 0;
};

/// Whether the host was ahead of the device: at the ends of backward passes (`ends`, with the host's times after it noted
/// the marks) by at least a tenth of a step of `step_s`, the median of them. last: the last mark, when the device had
/// done it. The end of a step does not tell: loss scaling waits for the device before it, and CUDA lets the host go
/// ahead by so many launches only, which there can be short ones.
bool device_was_the_pace(const Marks& marks, const std::vector<HostMark>& ends, const HostMark& last, double step_s);

/// "10 steps queued at a time; the host set the pace in 3 of 12 queues, whose steps count their mean". "" for steps
/// that were timed alone.
std::string queue_text(const QueueCount& count);

/// A loop calls begin_step, runs the step, which calls end_backward, and calls end_step; when that says so, or at the
/// loop's end, settle.
class StepClock {
public:
  StepClock(Marks& marks, std::size_t queued, std::function<double()> now = now_s);

  void begin_step();
  void end_backward();
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
  std::vector<HostMark> backward_ends_;
  QueueCount count_;
};

} // namespace ddltrain
