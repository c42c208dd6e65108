#include "trainer/files/error.hpp"
#include "trainer/launch/busy_cores.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

using ddltrain::parse_core_time;

TEST_CASE("busy cores: the share that is neither idle nor waiting, of the cores") {
  const auto hz = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto begin = parse_core_time("cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 1 1 1 1\n");
  CHECK(begin.all_s == Approx(1000 / hz));
  CHECK(begin.busy_s == Approx(150 / hz));
  // 300 ticks later on 2 cores: 100 user, 20 system, 10 interrupts, 20 stolen, the rest idle: half of all, one core.
  const auto end = parse_core_time("cpu  200 0 70 945 55 0 10 20 99 0\n");
  CHECK(ddltrain::busy_cores(begin, end, 2) == Approx(1.0));
  CHECK(ddltrain::busy_cores(begin, begin, 2) == 0);
  CHECK_THROWS_AS(parse_core_time("intr 5"), ddltrain::RunError);
  CHECK_THROWS_AS(parse_core_time("cpu 5 6"), ddltrain::RunError);
}
