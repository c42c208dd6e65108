#include "trainer/timing/step_clock.hpp"

#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <utility>

namespace ddltrain {

std::size_t queued_steps_on(const std::string& device, std::size_t requested) {
  if (device == "cuda") return requested == 0 ? usual_queued_steps : requested;
  if (requested > 1) {
    throw ddlsim::UserError(
        "", "",
        fmt::format("--queued-steps {} is for --device cuda: a processor has done a step when the call returns",
                    requested));
  }
  return 1;
}

bool host_was_the_pace(const QueueCount& count) {
  return count.queued > 1 && 2 * count.host_paced > count.waits;
}

std::string queue_text(const QueueCount& count) {
  if (count.queued <= 1) return "";
  std::string text = fmt::format("{} steps queued at a time", count.queued);
  if (count.host_paced > 0) {
    text += fmt::format("; the host set the pace in {} of {} queues, whose steps count their mean", count.host_paced,
                        count.waits);
  }
  return text;
}

bool device_was_the_pace(const Marks& marks, const std::vector<HostMark>& ends, const HostMark& last, double step_s) {
  constexpr double least_lead = 0.1; // as a share of a step
  if (ends.empty()) return false;
  std::vector<double> leads_s;
  for (const HostMark& end : ends) leads_s.push_back(last.host_s - marks.between_s(end.mark, last.mark) - end.host_s);
  return summarise(leads_s).median >= least_lead * step_s;
}

StepClock::StepClock(Marks& marks, std::size_t queued, std::function<double()> now)
    : marks_(marks), now_(std::move(now)) {
  count_.queued = queued;
}

void StepClock::begin_step() {
  if (!ends_.empty()) return; // the next step begins where the last one ended
  marks_.clear();
  backward_ends_.clear();
  ends_.push_back(marks_.mark());
}

void StepClock::end_backward() {
  const std::size_t mark = marks_.mark();
  backward_ends_.push_back({mark, now_()}); // this call waits where CUDA takes no more work
}

bool StepClock::end_step() {
  ends_.push_back(marks_.mark());
  return ends_.size() > count_.queued;
}

std::vector<double> StepClock::settle() {
  if (ends_.size() < 2) return {};
  marks_.settle();
  const HostMark last = {ends_.back(), now_()};
  const std::size_t steps = ends_.size() - 1;
  const double mean_s = marks_.between_s(ends_.front(), ends_.back()) / static_cast<double>(steps);
  const bool by_device = device_was_the_pace(marks_, backward_ends_, last, mean_s);
  ++count_.waits;
  count_.host_paced += by_device ? 0 : 1;
  std::vector<double> times_s(steps, mean_s);
  for (std::size_t i = 0; by_device && i < steps; ++i) times_s[i] = marks_.between_s(ends_[i], ends_[i + 1]);
  ends_.clear();
  return times_s;
}

} // namespace ddltrain
