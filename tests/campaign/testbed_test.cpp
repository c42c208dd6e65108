// The testbed as a user runs it. Skipped where the kernel makes no network namespaces, with its words.
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/host_network.hpp"
#include "work_folder.hpp"

#include <catch2/catch.hpp>

#include <chrono>
#include <csignal>
#include <filesystem>
#include <iostream>
#include <thread>

using namespace ddltrain_test;

namespace {

bool cannot() {
  static const std::string cause = ddltrain::no_network_because();
  if (!cause.empty()) {
    std::cout << "skipped: " << cause << "\n";
  }
  return !cause.empty();
}

nlohmann::json one_run(const std::vector<std::string>& arguments) {
  return {
      {{"name", "ring"}, {"command", "collectives"}, {"arguments", arguments}, {"nodes", {4}}, {"time_limit_s", 60}}};
}

std::vector<std::string> left_of(pid_t process) {
  const std::string prefix = "ddltrain-" + std::to_string(process) + "-";
  std::vector<std::string> left = ddltrain::namespaces_named(prefix);
  for (const auto& entry : std::filesystem::directory_iterator(ddltrain::temporary_root())) {
    if (entry.path().filename().string().rfind(prefix, 0) == 0) {
      left.push_back(entry.path());
    }
  }
  return left;
}

void wait_until_running(const WorkFolder& folder) {
  for (int i = 0; i < 1200 && !folder.exists("out/parts/ring-n4-r1.running"); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  }
  REQUIRE(folder.exists("out/parts/ring-n4-r1.running"));
}

} // namespace

TEST_CASE("testbed: a ring on 4 hosts is never faster than its links, and nothing is left behind") {
  if (cannot()) {
    return;
  }
  const WorkFolder folder;
  folder.campaign({{"kind", "testbed"}, {"busy_cores", 1000}}, one_run({"--size", "4194304"}));
  const pid_t program = start_program(folder.measure_words(), folder.path("log"));
  REQUIRE((wait_for_end(program) == 0 || (std::cerr << folder.read("log"), false)));
  CHECK(left_of(program).empty());
  const auto records = records_in(folder.read("out/ring.jsonl"));
  REQUIRE(records.size() == 1);
  CHECK(records[0].at("nodes") == 4);
  // 2 (n - 1) / n S over 200 Mbit/s. Of a 1514-byte frame 1448 bytes are payload: the rate's share 0.956. Bursts of
  // 18 kB a step are free (2 %).
  const double ideal_s = 2 * 3.0 / 4 * 4194304 / (200e6 / 8 * 0.956);
  CHECK(records[0].at("value").get<double>() > 0.97 * ideal_s);
}

TEST_CASE("testbed: a signal ends the ranks and takes the network away") {
  if (cannot()) {
    return;
  }
  const WorkFolder folder;
  folder.campaign({{"kind", "testbed"}}, one_run({"--wait", "100"}));
  const pid_t program = start_program(folder.measure_words(), folder.path("log"));
  wait_until_running(folder);
  CHECK_FALSE(left_of(program).empty());
  kill(program, SIGTERM);
  CHECK(wait_for_end(program) == 1);
  CHECK(folder.read("log").find("stopped by signal Terminated") != std::string::npos);
  CHECK(left_of(program).empty());
  CHECK_FALSE(folder.exists("out/parts/ring-n4-r1.jsonl"));
}

TEST_CASE("testbed: what a killed run leaves, the next one removes") {
  if (cannot()) {
    return;
  }
  const WorkFolder folder;
  folder.campaign({{"kind", "testbed"}, {"busy_cores", 1000}}, one_run({"--wait", "100"}));
  const pid_t killed = start_program(folder.measure_words(), folder.path("log"));
  wait_until_running(folder);
  kill(killed, SIGKILL);
  wait_for_end(killed);
  CHECK_FALSE(left_of(killed).empty());
  folder.campaign({{"kind", "testbed"}, {"busy_cores", 1000}}, one_run({"--size", "4096"}));
  const pid_t next = start_program(folder.measure_words(), folder.path("log"));
  REQUIRE((wait_for_end(next) == 0 || (std::cerr << folder.read("log"), false)));
  CHECK(left_of(killed).empty());
  CHECK(left_of(next).empty());
}

TEST_CASE("testbed: names of living runs and of others' namespaces are no leftovers") {
  CHECK_FALSE(ddltrain::is_left_over(ddltrain::own_name_prefix() + "h0"));
  CHECK_FALSE(ddltrain::is_left_over("nd0"));
  CHECK_FALSE(ddltrain::is_left_over("ddltrain-mine"));
  CHECK(ddltrain::is_left_over("ddltrain-1-123456789012-h0")); // process 1 started at another time
  CHECK(ddltrain::is_left_over("ddltrain-99999999-5-h0"));     // beyond any process id
}

TEST_CASE("testbed: a link's burst holds its largest packet") {
  ddltrain::LinkShape slow;
  slow.rate_Bps = 200e6 / 8;
  CHECK(ddltrain::complete(slow).largest_packet_bytes == 16384);
  CHECK(ddltrain::complete(slow).burst_bytes == 18432);
  ddltrain::LinkShape fast;
  fast.rate_Bps = 1e9 / 8;
  // ... as the kernel charges it: 46 frames of 1448 bytes with 66 bytes of headers each
  CHECK(ddltrain::complete(fast).burst_bytes >= 65536 + 46 * 66);
  CHECK(ddltrain::complete(fast).burst_bytes == 70656);
  fast.burst_bytes = 100000;
  CHECK(ddltrain::complete(fast).burst_bytes == 100000);
}

TEST_CASE("testbed: who yields to another thread sleeps, who yields between polls does not") {
  const std::string text = R"(
import os, resource, select
readable, writable = os.pipe()
os.write(writable, b"x")
poll = select.epoll()
poll.register(readable)
def sleeps(between):
    before = resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw
    for _ in range(1000):
        os.sched_yield()
        between()
    return resource.getrusage(resource.RUSAGE_SELF).ru_nvcsw - before
print(sleeps(lambda: None) > 900, sleeps(lambda: poll.poll(0)) < 100)
)";
  const std::string preload = "LD_PRELOAD=" + ddltrain::beside_program("libddltrain_block.so");
  CHECK(ddltrain::run_and_read({"env", preload, "python3", "-c", text}) == "True True\n");
}
