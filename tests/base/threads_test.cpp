#include "sim/base/threads.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <atomic>
#include <fstream>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

namespace ddlsim {
namespace fs = std::filesystem;

namespace {

/// Files of /proc and /sys as another machine has them.
class PlantedRoot {
public:
  void put(const std::string& file, const std::string& text) const {
    const fs::path path = root() / file;
    fs::create_directories(path.parent_path());
    std::ofstream(path) << text;
  }
  fs::path root() const { return folder_.path(); }
  int threads() const { return machine_threads(root()); }

private:
  ddlsim_test::TemporaryFolder folder_;
};

/// This thread may use only so many of the cores that it may use now.
class FewerCores {
public:
  explicit FewerCores(int count) {
    CPU_ZERO(&before_);
    ::sched_getaffinity(0, sizeof before_, &before_);
    cpu_set_t fewer;
    CPU_ZERO(&fewer);
    for (std::size_t core = 0; core < CPU_SETSIZE && CPU_COUNT(&fewer) < count; ++core)
      if (CPU_ISSET(core, &before_)) CPU_SET(core, &fewer);
    ::sched_setaffinity(0, sizeof fewer, &fewer);
  }
  ~FewerCores() { ::sched_setaffinity(0, sizeof before_, &before_); }
  FewerCores(const FewerCores&) = delete;
  FewerCores& operator=(const FewerCores&) = delete;
  int before() const { return CPU_COUNT(&before_); }

private:
  cpu_set_t before_{};
};

} // namespace

TEST_CASE("without a control group the cores of the affinity count", "[threads]") {
  const PlantedRoot nothing;
  const int all = nothing.threads();
  const FewerCores one(1);
  CHECK(all == one.before());
  CHECK(nothing.threads() == 1);
}

TEST_CASE("a quota of version 2 limits, rounded up, also one of a group above", "[threads]") {
  const PlantedRoot machine;
  const int all = machine.threads();
  machine.put("proc/self/cgroup", "0::/jobs/one\n");
  CHECK(machine.threads() == all);
  machine.put("sys/fs/cgroup/jobs/one/cpu.max", "max 100000\n");
  CHECK(machine.threads() == all);
  machine.put("sys/fs/cgroup/jobs/one/cpu.max", "150000 100000\n");
  CHECK(machine.threads() == std::min(all, 2));
  machine.put("sys/fs/cgroup/jobs/cpu.max", "20000 100000\n");
  CHECK(machine.threads() == 1);
}

TEST_CASE("in a container the mount is the process's own group", "[threads]") {
  const PlantedRoot machine;
  machine.put("proc/self/cgroup", "0::/../of/the/host\n");
  machine.put("sys/fs/cgroup/cpu.max", "100000 100000\n");
  CHECK(machine.threads() == 1);
}

TEST_CASE("a quota of version 1 limits, and -1 is none", "[threads]") {
  const PlantedRoot machine;
  const int all = machine.threads();
  machine.put("proc/self/cgroup", "9:name=systemd:/\n4:cpu,cpuacct:/batch\n2:cpuset:/batch\n0::/\n");
  machine.put("sys/fs/cgroup/cpu/batch/cpu.cfs_period_us", "100000\n");
  machine.put("sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us", "-1\n");
  CHECK(machine.threads() == all);
  machine.put("sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us", "100000\n");
  CHECK(machine.threads() == 1);
  machine.put("sys/fs/cgroup/cpu/batch/cpu.cfs_quota_us", "1000000000\n");
  CHECK(machine.threads() == all);
}

TEST_CASE("what cannot be read limits nothing", "[threads]") {
  const PlantedRoot machine;
  const int all = machine.threads();
  for (const char* groups : {"", "nonsense\n", "0:\n", ":::\n", "0::relative\n"}) {
    machine.put("proc/self/cgroup", groups);
    for (const char* quota : {"", "\n", "many 100000\n", "100000\n", "-5 100000\n", "100000 0\n"}) {
      machine.put("sys/fs/cgroup/cpu.max", quota);
      CHECK(machine.threads() == all);
    }
  }
}

TEST_CASE("each number is worked on once, by any number of threads", "[threads]") {
  for (const int threads : {-1, 0, 1, 2, 5, 100}) {
    std::vector<std::atomic<int>> times(37);
    for_each_number(times.size(), threads, [&](std::size_t i) { ++times[i]; });
    CHECK(std::all_of(times.begin(), times.end(), [](const auto& count) { return count == 1; }));
  }
  for_each_number(0, 5, [](std::size_t) { FAIL("there is nothing to do"); });
}

TEST_CASE("so many threads run beside each other, and no more", "[threads]") {
  std::atomic<int> here{0};
  share_out(3, 3, [&](const NextNumber& next) { // ends only if three are here at once
    ++here;
    while (here < 3) std::this_thread::yield();
    while (next()) {
    }
  });
  CHECK(here == 3);
  here = 0;
  share_out(2, 8, [&](const NextNumber&) { ++here; });
  CHECK(here == 2);
}

TEST_CASE("what the work throws is thrown, from this thread or another", "[threads]") {
  for (const std::size_t bad : {0, 17, 36})
    CHECK_THROWS_WITH(for_each_number(37, 3,
                                      [&](std::size_t i) {
                                        if (i == bad) throw std::runtime_error("no such transport");
                                      }),
                      "no such transport");
}

TEST_CASE("tasks beside each other share the threads", "[threads]") {
  CHECK(threads_of_each(8, 1) == 8);
  CHECK(threads_of_each(8, 3) == 2);
  CHECK(threads_of_each(8, 8) == 1);
  CHECK(threads_of_each(8, 100) == 1);
  CHECK(threads_of_each(8, 0) == 8);
  CHECK(threads_of_each(1, 4) == 1);
}

} // namespace ddlsim
