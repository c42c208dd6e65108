#pragma once
// Times steps that a device is given in groups, with one wait after each group, as in real training: the speed of a
// step that begins on an idle GPU is limited by the host, which issues its work.

#include "trainer/records/statistics.hpp"
#include "trainer/timing/layer_timer.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

/// Number of steps that a GPU is given before a wait, unless the user sets another. On a processor work is done when
/// the call returns, so each step is timed alone.
inline constexpr std::size_t usual_queued_steps = 10;

/// Returns the requested number; for 0 the usual one of the device. Throws UserError for more than one step on a
/// processor.
std::size_t queued_steps_on(const std::string& device, std::size_t requested);

/// How many steps were given to the device between two waits, and how often the host was slower than the device.
struct QueueCount {
  std::size_t queued = 1;     ///< steps between two waits
  std::size_t waits = 0;      ///< number of waits
  std::size_t host_paced = 0; ///< number of waits in which the host was not ahead
};

/// Returns whether the host was not ahead in more than half of the waits: the median of the steps is then a time of the
/// host. Steps that are timed alone do not tell.
bool host_was_the_pace(const QueueCount& count);

/// A mark, and the time at which the host set it.
struct HostMark {
  std::size_t mark = 0;
  double host_s = 0;
};

/// Returns whether the device was slower than the host: at the ends of backward passes (`ends`, each with the host's
/// time after it set the mark) the host was ahead by at least a tenth of a step, as the median. A step takes `step_s`.
/// last: the last mark, when the device had reached it. The end of a step does not tell, for two reasons: loss scaling
/// waits for the device before it, and CUDA lets the host go ahead by a limited number of launches, which can be short
/// ones.
bool device_was_the_pace(const Marks& marks, const std::vector<HostMark>& ends, const HostMark& last, double step_s);

/// Returns "10 steps queued at a time; the host set the pace in 3 of 12 queues, whose steps count their mean"; "" for
/// steps that were timed alone.
std::string queue_text(const QueueCount& count);

/// Usage: a loop calls begin_step, runs the step, which calls end_backward, and calls end_step. It calls settle when
/// end_step returns true, and at the end of the loop.
class StepClock {
public:
  StepClock(Marks& marks, std::size_t queued, std::function<double()> now = now_s);

  void begin_step();
  void end_backward();
  /// Returns whether the queue is full.
  bool end_step();
  /// Waits for the device. Returns the seconds of each step since the last wait: each step's own time where the device
  /// was slower than the host, else their mean, since the marks then show the host's times.
  std::vector<double> settle();

  const QueueCount& count() const { return count_; }

private:
  Marks& marks_;
  std::function<double()> now_;
  std::vector<std::size_t> ends_; ///< marks: the begin of the first step, then the ends of the steps
  std::vector<HostMark> backward_ends_;
  QueueCount count_;
};

} // namespace ddltrain
