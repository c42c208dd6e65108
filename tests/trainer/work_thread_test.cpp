// A thread beside the caller: order, what a failing job leaves undone, what the end waits for.
#include "trainer/synchronisation/work_thread.hpp"

#include <catch2/catch.hpp>

#include <stdexcept>
#include <string>
#include <vector>

using ddltrain::WorkThread;

TEST_CASE("jobs are done in the order they are given, and drain() waits for all of them", "[work-thread]") {
  std::vector<int> done; // no lock: drain() is all that keeps the two threads apart
  WorkThread thread;
  for (int round = 0; round < 50; ++round) {
    for (int job = 0; job < 20; ++job) thread.add([&done, job] { done.push_back(job); });
    thread.drain();
    REQUIRE(done.size() == 20);
    for (int job = 0; job < 20; ++job) REQUIRE(done[static_cast<std::size_t>(job)] == job);
    done.clear();
  }
}

TEST_CASE("a job that fails is reported once, and jobs behind it are not done", "[work-thread]") {
  int done = 0;
  WorkThread thread;
  thread.add([&done] {
    ++done;
    throw std::runtime_error("a rank is gone");
  });
  try {
    thread.add([&done] { ++done; });
    thread.drain();
    FAIL("drain() throws what the job threw");
  } catch (const std::runtime_error& error) {
    CHECK(std::string(error.what()) == "a rank is gone");
  }
  CHECK(done == 1); // whether the second job was given before the first failed, or behind it
  thread.add([&done] { ++done; });
  CHECK_NOTHROW(thread.drain());
  CHECK(done == 2);
}

TEST_CASE("the end waits for the jobs given", "[work-thread]") {
  int done = 0;
  {
    WorkThread thread;
    for (int job = 0; job < 100; ++job) thread.add([&done] { ++done; });
  }
  CHECK(done == 100);
}
