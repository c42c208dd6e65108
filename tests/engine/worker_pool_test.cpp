#include "sim/engine/worker_pool.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <stdexcept>
#include <unistd.h>

namespace ddlsim {

TEST_CASE("results come in the order of the tasks, for any number of jobs", "[worker-pool]") {
  const auto work = [](int task) {
    if (task == 0) ::usleep(20'000); // ends last
    return std::string(static_cast<std::size_t>(100'000 * (task % 3)), 'x') + std::to_string(task);
  };
  for (const int jobs : {1, 2, 5, 100}) {
    int told = 0;
    const auto results = run_in_workers(9, jobs, work, [&](int ended) { told = ended; });
    REQUIRE(results.size() == 9);
    for (int task = 0; task < 9; ++task) {
      CHECK(results[static_cast<std::size_t>(task)].bytes == work(task));
      CHECK(results[static_cast<std::size_t>(task)].error.empty());
    }
    CHECK(told == 9);
  }
}

TEST_CASE("a task that throws or is killed spoils no other", "[worker-pool]") {
  const auto results = run_in_workers(4, 2, [](int task) -> std::string {
    if (task == 1) throw std::runtime_error("no such transport");
    if (task == 2) ::raise(SIGKILL);
    return "fine";
  });
  CHECK(results[0].bytes == "fine");
  CHECK(results[1].error.find("no such transport") != std::string::npos);
  CHECK(results[2].error.find("was killed by signal Killed") != std::string::npos);
  CHECK(results[3].bytes == "fine");
}

TEST_CASE("no tasks, no results; there is a core to run on", "[worker-pool]") {
  CHECK(run_in_workers(0, 3, [](int) { return std::string(); }).empty());
  CHECK(usable_cores() >= 1);
}

} // namespace ddlsim
