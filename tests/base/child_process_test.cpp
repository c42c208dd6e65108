#include "sim/base/child_process.hpp"
#include "tests/base/bytes_printed.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <stdexcept>
#include <string>
#include <unistd.h>

using Catch::Contains;

namespace ddlsim {

TEST_CASE("a child's bytes come back, none and many") {
  CHECK(ChildProcess([] { return std::string(); }).finish().empty());
  const auto many = [] { return std::string(1'000'000, 'x'); }; // more than a pipe holds
  CHECK(ChildProcess(many).finish() == many());
}

TEST_CASE("a child that throws gives its words") {
  CHECK_THROWS_WITH(ChildProcess([]() -> std::string { throw std::runtime_error("no such link"); }).finish(),
                    Contains("no such link") && Contains("status 1"));
}

TEST_CASE("a child that is killed gives the signal and what it printed last") {
  CHECK_THROWS_WITH(ChildProcess([]() -> std::string {
                      std::fputs("about to fail", stderr);
                      std::raise(SIGKILL);
                      return {};
                    }).finish(),
                    Contains("Killed") && Contains("about to fail"));
}

TEST_CASE("a child's output stays away from the terminal") {
  CHECK(ddlsim_test::bytes_printed([] {
          ChildProcess([] {
            std::puts("narration");
            std::fflush(stdout);
            return std::string();
          }).finish();
        }) == 0);
}

TEST_CASE("results come in the order of the tasks, for any number of jobs", "[worker-pool]") {
  const auto work = [](int task) {
    if (task == 0) ::usleep(20'000); // ends last
    return std::string(static_cast<std::size_t>(100'000 * (task % 3)), 'x') + std::to_string(task);
  };
  for (const int jobs : {1, 2, 5, 100}) {
    int reported = 0;
    const auto results = run_in_workers(all_tasks(9), jobs, work, [&](int task, const TaskResult& result) {
      ++reported;
      CHECK(result.bytes == work(task));
    });
    REQUIRE(results.size() == 9);
    for (int task = 0; task < 9; ++task) {
      CHECK(results[static_cast<std::size_t>(task)].bytes == work(task));
      CHECK(results[static_cast<std::size_t>(task)].error.empty());
    }
    CHECK(reported == 9);
  }
}

TEST_CASE("a task that throws or is killed spoils no other", "[worker-pool]") {
  const auto results = run_in_workers({0, 1, 2, 3}, 2, [](int task) -> std::string {
    if (task == 1) throw std::runtime_error("no such transport");
    if (task == 2) ::raise(SIGKILL);
    return "fine";
  });
  CHECK(results[0].bytes == "fine");
  CHECK(results[1].error.find("no such transport") != std::string::npos);
  CHECK(results[2].error.find("was killed by signal Killed") != std::string::npos);
  CHECK(results[3].bytes == "fine");
}

TEST_CASE("no tasks, no results", "[worker-pool]") {
  CHECK(run_in_workers({}, 3, [](int) { return std::string(); }).empty());
}

} // namespace ddlsim
