#include "trainer/campaign/launcher.hpp"
#include "trainer/campaign/run_campaign.hpp"
#include "trainer/run_error.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

using ddltrain::parse_core_time;
using ddltrain_test::WorkFolder;

TEST_CASE("busy cores: what is neither idle nor waiting, and not the measurement's own") {
  const auto hz = static_cast<double>(sysconf(_SC_CLK_TCK));
  const auto begin = parse_core_time("cpu  100 0 50 800 50 0 0 0 7 0\ncpu0 1 1 1 1\n");
  CHECK(begin.all_s == Approx(1000 / hz));
  CHECK(begin.busy_s == Approx(150 / hz));
  // 300 ticks later on 2 cores: 100 user, 20 system, 10 interrupts, 20 stolen, the rest idle: half of all, one core.
  const auto end = parse_core_time("cpu  200 0 70 945 55 0 10 20 99 0\n");
  CHECK(ddltrain::others_busy_cores(begin, end, 0, 2) == Approx(1.0));
  CHECK(ddltrain::others_busy_cores(begin, end, 120 / hz, 2) == Approx(0.2));
  CHECK(ddltrain::others_busy_cores(begin, end, 150 / hz, 2) == Approx(0.0).margin(1e-12));
  CHECK(ddltrain::others_busy_cores(begin, end, 160 / hz, 2) == 0); // the counters' ticks are coarse
  CHECK(ddltrain::others_busy_cores(begin, begin, 0, 2) == 0);
  CHECK_THROWS_AS(parse_core_time("intr 5"), ddltrain::RunError);
  CHECK_THROWS_AS(parse_core_time("cpu 5 6"), ddltrain::RunError);
}

TEST_CASE("busy cores: processor time of a command is that of all its ranks") {
  const WorkFolder folder;
  ddltrain::Command command;
  const auto launcher = ddltrain::local_launcher({}, {});
  ddltrain::LaunchJob job;
  job.words = {DDLTRAIN_PAYLOAD, "train", "--spin", "0.4", "--output", "/dev/null"};
  job.ranks_per_node = 2;
  command.words = launcher->words(job);
  command.environment = launcher->environment();
  command.log = folder.path("log");
  const ddltrain::SignalWatch signals;
  const ddltrain::CommandEnd end = ddltrain::run_command(command, signals);
  INFO(folder.read("log"));
  CHECK(end.status == 0);
  CHECK(end.cpu_s > 2 * 0.4);
}

TEST_CASE("busy cores: where ranks are is known by the hosts of the job") {
  ddltrain::LauncherChoice choice;
  choice.hosts = {"localhost", "localhost", "elsewhere.invalid"};
  const auto launcher = ddltrain::mpirun_launcher(choice, {});
  CHECK(launcher->ranks_are_here(1));
  CHECK(launcher->ranks_are_here(2));
  CHECK_FALSE(launcher->ranks_are_here(3));
  CHECK(ddltrain::local_launcher({}, {})->ranks_are_here(3));
}
