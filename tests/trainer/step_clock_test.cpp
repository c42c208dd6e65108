#include "sim/base/error.hpp"
#include "trainer/timing/step_clock.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <functional>

using namespace ddltrain;

namespace {

/// A device that works off what it is given, and a host that takes its time to give it, and waits where the device has
/// `most_waiting` launches to do.
struct Device {
  std::size_t most_waiting = 1024;
  double host_s = 0;
  std::vector<double> done_s; ///< of each launch

  double free_s() const { return done_s.empty() ? 0 : done_s.back(); }
  void give(double issue_s, double work_s, int launches = 1) {
    for (int i = 0; i < launches; ++i) {
      host_s += issue_s;
      if (done_s.size() >= most_waiting) host_s = std::max(host_s, done_s[done_s.size() - most_waiting]);
      done_s.push_back(std::max(free_s(), host_s) + work_s);
    }
  }
  void wait() { host_s = std::max(host_s, free_s()); }
};

class DeviceMarks final : public Marks {
public:
  explicit DeviceMarks(Device& device) : device_(device) {}
  void clear() override { times_s_.clear(); }
  std::size_t mark() override {
    times_s_.push_back(std::max(device_.free_s(), device_.host_s));
    return times_s_.size() - 1;
  }
  void settle() override { device_.wait(); }
  double between_s(std::size_t from, std::size_t to) const override { return times_s_.at(to) - times_s_.at(from); }

private:
  Device& device_;
  std::vector<double> times_s_;
};

/// Of steps in one go: `passes` gives the device forward and backward pass of a step, `update` the rest.
std::vector<double> times(std::size_t steps, const std::function<void(Device&, std::size_t step)>& passes,
                          const std::function<void(Device&)>& update, QueueCount& count) {
  Device device;
  DeviceMarks marks(device);
  StepClock clock(marks, steps, [&device] { return device.host_s; });
  for (std::size_t i = 0; i < steps; ++i) {
    clock.begin_step();
    passes(device, i);
    clock.end_backward();
    update(device);
    CHECK(clock.end_step() == (i + 1 == steps));
  }
  std::vector<double> found = clock.settle();
  count = clock.count();
  CHECK(count.waits == 1);
  return found;
}

/// The same with one launch a step, of that work.
std::vector<double> times(double issue_s, const std::vector<double>& work_s, QueueCount& count) {
  const auto passes = [&](Device& device, std::size_t step) { device.give(issue_s, work_s[step]); };
  return times(
      work_s.size(), passes, [](Device&) {}, count);
}

} // namespace

TEST_CASE("Queued steps keep their own times where the device is the pace") {
  QueueCount count;
  const auto found = times(0.001, {0.010, 0.012, 0.010, 0.014}, count);
  REQUIRE(found.size() == 4);
  CHECK(found[0] == Approx(0.011)); // began on an idle device, and waited for the host
  CHECK(found[1] == Approx(0.012));
  CHECK(found[3] == Approx(0.014));
  CHECK(count.host_paced == 0);
  CHECK(queue_text(count) == "4 steps queued at a time");
  CHECK_FALSE(host_was_the_pace(count));
}

TEST_CASE("Where the host is the pace, queued steps count their mean, and the note says so") {
  QueueCount count;
  const auto found = times(0.010, {0.001, 0.001, 0.003, 0.001}, count);
  for (const double time_s : found) CHECK(time_s == Approx(0.041 / 4));
  CHECK(queue_text(count) ==
        "4 steps queued at a time; the host set the pace in 1 of 1 queues, whose steps count their mean");
  CHECK(host_was_the_pace(count));
}

TEST_CASE("The device is the pace where CUDA holds the host up: at a step's end it has only short launches to do") {
  QueueCount count;
  const auto passes = [](Device& device, std::size_t) { device.give(10e-6, 100e-6, 1500); };
  const auto update = [](Device& device) { device.give(0.5e-6, 1e-6, 1500); };
  const auto found = times(5, passes, update, count);
  CHECK(count.host_paced == 0);
  CHECK(found[4] == Approx(1500 * 101e-6));
}

TEST_CASE("The host is the pace where each launch takes it longer than the device") {
  QueueCount count;
  const auto passes = [](Device& device, std::size_t) { device.give(10e-6, 3e-6, 1500); };
  const auto update = [](Device& device) { device.give(10e-6, 400e-6, 5); };
  const auto found = times(5, passes, update, count);
  CHECK(count.host_paced == 1);
  for (const double time_s : found) CHECK(time_s == Approx(found[0]));
}

TEST_CASE("Where loss scaling waits for the device in each step, the lead before shows who sets the pace") {
  const auto update = [](Device& device) {
    device.wait(); // are the gradients numbers?
    device.give(10e-6, 50e-6, 5);
  };
  QueueCount count;
  times(
      5, [](Device& device, std::size_t) { device.give(10e-6, 20e-6, 1000); }, update, count);
  CHECK(count.host_paced == 0);
  times(
      5, [](Device& device, std::size_t) { device.give(10e-6, 8e-6, 1000); }, update, count);
  CHECK(count.host_paced == 1);
}

TEST_CASE("A lead of a tenth of the step is enough, the median over the backward passes") {
  const auto host_marks_of = [](const std::vector<double>& leads_s) {
    std::vector<HostMark> ends;
    for (std::size_t i = 0; i < leads_s.size(); ++i) ends.push_back({i, static_cast<double>(i) - leads_s[i]});
    return ends;
  };
  Device device;
  DeviceMarks marks(device); // one a second, all done at once
  for (int i = 0; i < 4; ++i, device.host_s += 1) marks.mark();
  const HostMark last = {3, 3};
  CHECK(device_was_the_pace(marks, host_marks_of({0.1, 0.11, 0.5}), last, 1));
  CHECK(device_was_the_pace(marks, host_marks_of({0, 0.11, 0.12}), last, 1));
  CHECK_FALSE(device_was_the_pace(marks, host_marks_of({0.05, 0.09, 0.5}), last, 1));
  CHECK_FALSE(device_was_the_pace(marks, {}, last, 1));
}

TEST_CASE("Steps on a processor are timed alone") {
  CHECK(queued_steps_on("cpu", 0) == 1);
  CHECK(queued_steps_on("cuda", 0) == usual_queued_steps);
  CHECK(queued_steps_on("cuda", 1) == 1);
  CHECK_THROWS_AS(queued_steps_on("cpu", 10), ddlsim::UserError);
  CHECK(queue_text({1, 50, 50}).empty());
  CHECK_FALSE(host_was_the_pace({1, 50, 50})); // a processor does a step when it is called
  CHECK_FALSE(host_was_the_pace({10, 4, 2}));
}
