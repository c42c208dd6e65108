#include "sim/base/error.hpp"
#include "trainer/timing/step_clock.hpp"

#include <catch2/catch.hpp>

#include <algorithm>

using namespace ddltrain;

namespace {

/// A device that works off what it is given, and a host that takes its time to give it.
struct Device {
  double host_s = 0;
  double free_s = 0; ///< when the device has done all it was given

  void give(double issue_s, double work_s) {
    host_s += issue_s;
    free_s = std::max(free_s, host_s) + work_s;
  }
};

class DeviceMarks final : public Marks {
public:
  explicit DeviceMarks(Device& device) : device_(device) {}
  void clear() override { times_s_.clear(); }
  std::size_t mark() override {
    times_s_.push_back(std::max(device_.free_s, device_.host_s));
    return times_s_.size() - 1;
  }
  void settle() override { device_.host_s = std::max(device_.host_s, device_.free_s); }
  double between_s(std::size_t from, std::size_t to) const override { return times_s_.at(to) - times_s_.at(from); }

private:
  Device& device_;
  std::vector<double> times_s_;
};

/// Of four steps in one go, whose work is given.
std::vector<double> times(double issue_s, const std::vector<double>& work_s, QueueCount& count) {
  Device device;
  DeviceMarks marks(device);
  StepClock clock(marks, work_s.size(), [&device] { return device.host_s; });
  for (std::size_t i = 0; i < work_s.size(); ++i) {
    clock.begin_step();
    device.give(issue_s, work_s[i]);
    CHECK(clock.end_step() == (i + 1 == work_s.size()));
  }
  const std::vector<double> found = clock.settle();
  count = clock.count();
  return found;
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
}

TEST_CASE("Where the host is the pace, queued steps count their mean, and the note says so") {
  QueueCount count;
  const auto found = times(0.010, {0.001, 0.001, 0.003, 0.001}, count);
  for (const double time_s : found) CHECK(time_s == Approx(0.041 / 4));
  CHECK(queue_text(count) ==
        "4 steps queued at a time; the host set the pace in 1 of 1 queues, whose steps count their mean");
}

TEST_CASE("Steps on a processor are timed alone") {
  CHECK(queued_steps_on("cpu", 0) == 1);
  CHECK(queued_steps_on("cuda", 0) == kQueuedSteps);
  CHECK(queued_steps_on("cuda", 1) == 1);
  CHECK_THROWS_AS(queued_steps_on("cpu", 10), ddlsim::UserError);
  CHECK(queue_text({1, 50, 50}).empty());
}
