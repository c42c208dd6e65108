// When a job no longer gets on, and whom the message names.
#include "trainer/communication/watchdog.hpp"

#include <catch2/catch.hpp>

using namespace ddltrain;

namespace {

const std::vector<std::string> kHosts = {"a", "a", "b"};

} // namespace

TEST_CASE("A step is too long above ten medians, and above a minute") {
  const StallLimits limits;
  CHECK(stall_limit_s(limits, {}) == 60);
  CHECK(stall_limit_s(limits, {0.1, 0.2, 0.3}) == 60);
  CHECK(stall_limit_s(limits, {10, 11, 12}) == 110);
  CHECK(stall_limit_s({5, 10}, {0.1}) == 5);
}

TEST_CASE("A rank that does not answer is named, with its host") {
  CHECK(stall_text({7, std::nullopt, 7}, kHosts, 61.4) ==
        "rank 1 on host a does not answer, and the job has not got on for 61 s");
  CHECK(stall_text({7, std::nullopt, std::nullopt}, kHosts, 61.4) ==
        "rank 1 on host a, rank 2 on host b do not answer, and the job has not got on for 61 s");
}

TEST_CASE("A rank that answers from an earlier step is named as behind") {
  CHECK(stall_text({7, 7, 6}, kHosts, 70) ==
        "rank 2 on host b is behind, though it answers, and the others have waited for 70 s");
}

TEST_CASE("A server counts no steps, and is not behind for that") {
  CHECK_THAT(stall_text({7, 7, 0}, kHosts, 70), Catch::StartsWith("all ranks answer, but none has got on for 70 s"));
}
