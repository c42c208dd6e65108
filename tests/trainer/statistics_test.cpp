#include "trainer/records/disturbance.hpp"
#include "trainer/records/statistics.hpp"
#include "trainer/records/surroundings.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <sstream>

using ddltrain::summarise;

TEST_CASE("A summary of known samples") {
  const auto summary = summarise({5, 1, 3, 2, 100});
  CHECK(summary.count == 5);
  CHECK(summary.median == 3);
  CHECK(summary.mad == 2); // distances 2, 2, 0, 1, 97
  CHECK(summary.lowest == 1);
  CHECK(summary.highest == 100);
  CHECK(summarise({1, 2, 3, 4}).median == 2.5);
  CHECK(summarise({2, 4}).standard_deviation == Approx(std::sqrt(2.0)));
  CHECK(summarise({7}).standard_deviation == 0);
  CHECK_THROWS_AS(summarise({}), std::logic_error);
}

TEST_CASE("The median's standard error is half of what lies between its neighbours") {
  // Nine samples 1..9: ranks 5 -+ 1.5, interpolated to 3.5 and 6.5.
  CHECK(summarise({1, 2, 3, 4, 5, 6, 7, 8, 9}).median_standard_error == Approx(1.5));
  CHECK(summarise({2, 2, 2, 2, 2}).median_standard_error == 0);
  CHECK(std::isinf(summarise({1, 2, 3, 4}).median_standard_error));
}

TEST_CASE("The median's standard error is that of repeated experiments") {
  // Exponential samples: the median's asymptotic standard error is 1 / sqrt(n).
  std::mt19937_64 random(7);
  const auto draw = [&] { return -std::log((static_cast<double>(random() >> 11U) + 0.5) * 0x1p-53); };
  constexpr int samples = 100;
  constexpr int experiments = 400;
  double sum = 0;
  for (int i = 0; i < experiments; ++i) {
    std::vector<double> values(samples);
    for (double& value : values) value = draw();
    sum += summarise(values).median_standard_error;
  }
  // One estimate spreads by 28 %, the mean of 400 by 1.4 %; the rest is for n being finite.
  CHECK(sum / experiments == Approx(1 / std::sqrt(samples)).epsilon(0.06));
}

TEST_CASE("Repetitions end when the median is known, or at a limit") {
  ddltrain::RepeatLimits limits;
  CHECK_FALSE(ddltrain::enough({1, 1, 1, 1}, 1e9, limits));              // the fewest, however long they took
  CHECK_FALSE(ddltrain::enough(std::vector<double>(9, 1.0), 0, limits)); // may be alike by chance
  CHECK(ddltrain::enough(std::vector<double>(10, 1.0), 0, limits));
  CHECK_FALSE(ddltrain::enough({1, 2, 3, 4, 5, 6, 7, 8, 9, 10}, 0, limits));
  CHECK(ddltrain::enough({1, 2, 3, 4, 5}, 11, limits));
  limits.most_repetitions = 3;
  CHECK(ddltrain::enough({1, 2, 3}, 0, limits));
  limits.warm_up = 4;
  int calls = 0;
  const auto samples = ddltrain::repeat([&] { return static_cast<double>(++calls); }, limits);
  CHECK(samples == std::vector<double>{5, 6, 7}); // four thrown away
}

TEST_CASE("Busy seconds are read from the counters of all cores") {
  std::istringstream text("cpu  100 20 30 4000 500 6 7 8 9 1\ncpu0 1 1 1 1\n");
  CHECK(ddltrain::machine_busy_s(text, 100) == Approx(1.71)); // without idle, I/O wait and guests
  std::istringstream nothing("intr 5\n");
  CHECK(ddltrain::machine_busy_s(nothing, 100) == 0);
}

TEST_CASE("Others' cores are the machine's without one's own, and too many make a record suspect") {
  const ddltrain::CpuUse from = {10, 100, 50};
  const ddltrain::OtherCpuUse half = ddltrain::other_cpu_use(from, {12, 103, 52}, 2, 8);
  CHECK(half.cores == Approx(0.5));
  CHECK(half.left_idle == Approx(7));                                      // of 8: one was ours
  CHECK(ddltrain::other_cpu_use(from, {12, 101, 52}, 2, 8).cores == 0);    // ticks of 10 ms can make it negative
  CHECK(ddltrain::other_cpu_use(from, {10.1, 100.1, 50}, 0, 8).cores < 0); // ten ticks cannot tell
  ddltrain::RecordHead shortest;
  ddltrain::mark_disturbance(shortest, {});
  CHECK_FALSE(shortest.suspect);
  CHECK(shortest.note == "too short to tell who else was busy");
  ddltrain::RecordHead quiet;
  ddltrain::mark_disturbance(quiet, {0.02, 0});
  CHECK_FALSE(quiet.suspect);
  CHECK(quiet.note == "others kept 0.02 cores busy");
  ddltrain::RecordHead loud;
  loud.note = "a note";
  ddltrain::mark_disturbance(loud, {1.2, 0});
  CHECK(loud.suspect);
  CHECK(loud.note == "a note; others kept 1.20 cores busy, more than 0.15: suspect");
  ddltrain::RecordHead large_node; // 28 cores, of which the ranks use 4: the node's daemons do no harm
  ddltrain::mark_disturbance(large_node, {1.2, 24});
  CHECK_FALSE(large_node.suspect);
  ddltrain::mark_disturbance(large_node, {3, 24});
  CHECK(large_node.suspect);
}

TEST_CASE("The machine is reported in words") {
  std::istringstream cpuinfo("processor\t: 0\nmodel name\t: Quick 9000\nmodel name\t: Other\n");
  CHECK(ddltrain::processor_name(cpuinfo) == "Quick 9000");
  std::istringstream unknown("processor\t: 0\n");
  CHECK(ddltrain::processor_name(unknown) == "unknown processor");
  const ddltrain::Machine machine = {"Quick 9000", 8, 16.0 * 1024 * 1024 * 1024, "Linux 6.1", "node7"};
  CHECK(ddltrain::machine_text(machine) == "Quick 9000, 8 cores, 16.0 GiB, Linux 6.1");
  CHECK(ddltrain::today().size() == 10);
}
