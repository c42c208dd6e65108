#include "sim/base/child_process.hpp"
#include "tests/base/bytes_printed.hpp"

#include <catch2/catch.hpp>

#include <csignal>
#include <cstdio>
#include <future>
#include <numeric>
#include <stdexcept>
#include <string>
#include <unistd.h>

using Catch::Contains;

namespace ddlsim {
namespace {

Numbers same(const Numbers& request) {
  return request;
}

Numbers own_process(const Numbers&) {
  return {static_cast<double>(::getpid())};
}

int calls = 0;

Numbers count_call(const Numbers&) {
  return {static_cast<double>(++calls)};
}

Numbers throw_words(const Numbers&) {
  throw std::runtime_error("no such link");
}

Numbers be_killed(const Numbers&) {
  std::fputs("about to fail", stderr);
  std::raise(SIGKILL);
  return {};
}

Numbers be_killed_in_silence(const Numbers&) {
  std::raise(SIGKILL);
  return {};
}

Numbers narrate_aside(const Numbers&) {
  std::puts("narration");
  std::fflush(stdout);
  return {};
}

} // namespace

TEST_CASE("a fork's numbers come back to the last bit, none and many", "[fork]") {
  CHECK(run_in_fork(same, {}).empty());
  const Numbers many(500'000, 1.0 / 3); // more than a socket holds, in both directions
  CHECK(run_in_fork(same, many) == many);
}

TEST_CASE("every request has a fresh process, which is not this one", "[fork]") {
  const double one = run_in_fork(own_process, {}).front();
  const double other = run_in_fork(own_process, {}).front();
  CHECK(one != other);
  CHECK(one != ::getpid());
  for (int i = 0; i < 3; ++i)
    CHECK(run_in_fork(count_call, {}).front() == calls + 1); // nothing is left of the last one
}

TEST_CASE("a fork knows what this process knew when its server started", "[fork]") {
  start_fork_server();
  const int before = calls;
  calls = 100;
  CHECK(run_in_fork(count_call, {}).front() == before + 1);
  stop_fork_server();
  CHECK(run_in_fork(count_call, {}).front() == 101);
  calls = 0;
  stop_fork_server();
}

TEST_CASE("work that throws gives its words, work that is killed what it printed last", "[fork]") {
  CHECK_THROWS_WITH(run_in_fork(throw_words, {}), Contains("no such link"));
  CHECK_THROWS_WITH(run_in_fork(be_killed, {}), Contains("ended early") && Contains("about to fail"));
  CHECK_THROWS_WITH(run_in_fork(be_killed_in_silence, {}), Contains("ended early: it was killed"));
  CHECK(run_in_fork(same, {1, 2}) == Numbers{1, 2}); // the server is still there
}

TEST_CASE("a fork's output stays away from the terminal", "[fork]") {
  CHECK(ddlsim_test::bytes_printed([] { run_in_fork(narrate_aside, {}); }) == 0);
}

TEST_CASE("threads and workers ask one server at once", "[fork]") {
  start_fork_server();
  const auto ask = [](int seed) {
    Numbers request(1000 + seed);
    std::iota(request.begin(), request.end(), seed);
    return run_in_fork(same, request) == request;
  };
  std::vector<std::future<bool>> threads;
  for (int seed = 0; seed < 4; ++seed)
    threads.push_back(std::async(std::launch::async, [&, seed] { return ask(seed) && ask(seed + 10); }));
  for (auto& thread : threads) CHECK(thread.get());
  for (const auto& result :
       run_in_workers(all_tasks(6), 3, [&](int task) { return std::string(ask(task) ? "right" : "wrong"); }))
    CHECK(result.bytes == "right");
}

} // namespace ddlsim
