// When a strategy is told of gradients, and what is shared before a step.
#include "tests/trainer/host_link.hpp"
#include "trainer/synchronisation/synchroniser.hpp"

#include <catch2/catch.hpp>

#include <string>
#include <vector>

using namespace ddltrain;
using ddltrain_test::HostLink;

namespace {

using Log = std::vector<std::string>;

class Logged final : public Synchroniser {
public:
  explicit Logged(Log& log) : log_(log) {}
  void start_step() override { log_.push_back("start"); }
  void gradient_ready(std::size_t position) override { log_.push_back("ready " + std::to_string(position)); }
  void finish() override { log_.push_back("finish"); }

private:
  Log& log_;
};

} // namespace

TEST_CASE("After backward means: nobody hears of a gradient before, and then in the order ready") {
  Log log;
  const auto synchroniser = after_backward(std::make_unique<Logged>(log));
  for (int step = 0; step < 2; ++step) {
    log.clear();
    synchroniser->start_step();
    synchroniser->gradient_ready(1);
    synchroniser->gradient_ready(0);
    CHECK(log == Log{"start"});
    synchroniser->finish();
    CHECK(log == Log{"start", "ready 1", "ready 0", "finish"});
  }
}

TEST_CASE("Without overlap gradients are not copied to the host beside backward either") {
  Log log;
  const auto link = std::make_shared<HostLink>();
  const std::vector<float> device = {1, 2, 3};
  float* const host = link->host_memory(device.size());
  const GradientLayout layout = lay_out({2, 1}, {0, 1});
  const auto synchroniser =
      after_backward(staged_synchroniser(layout, device.data(), host, link, std::make_unique<Logged>(log), [] {}));
  synchroniser->gradient_ready(0);
  synchroniser->gradient_ready(1);
  CHECK(link->fetches == 0);
  synchroniser->finish();
  CHECK(link->fetches == 2);
  CHECK(std::equal(device.begin(), device.end(), host));
  CHECK(log == Log{"ready 0", "ready 1", "finish"});
}

TEST_CASE("What workers share is shared before each step, and only then") {
  Log log;
  const auto synchroniser = sharing_at_start(std::make_unique<Logged>(log), [&log] { log.push_back("share"); });
  synchroniser->start_step();
  synchroniser->gradient_ready(0);
  synchroniser->finish();
  CHECK(log == Log{"share", "start", "ready 0", "finish"});
}
