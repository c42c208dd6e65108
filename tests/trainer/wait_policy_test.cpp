// How threads wait for messages: the policy, from what wants the cores; and the pause, by a clock of its own.
#include "trainer/communication/wait_policy.hpp"

#include <catch2/catch.hpp>

using namespace ddltrain;

namespace {

/// A clock that each question to MPI moves on by `poll_s`; sleeps are counted and take their time.
struct FakeMachine {
  double time_s = 100;
  double poll_s = 0;
  int sleeps = 0;

  WaitClock clock() {
    return {[this] { return time_s; },
            [this](double seconds) {
              ++sleeps;
              time_s += seconds;
            }};
  }
  void ask_in_vain(WaitPause& pause, int times) {
    for (int i = 0; i < times; ++i) {
      time_s += poll_s;
      pause.found_nothing();
    }
  }
};

} // namespace

TEST_CASE("Training shares cores only where its threads are more than the cores") {
  CHECK(training_wait_policy({2, 2}) == WaitPolicy::in_mpi);
  CHECK(training_wait_policy({1, 64}) == WaitPolicy::in_mpi);
  CHECK(training_wait_policy({3, 2}) == WaitPolicy::share_cores);
}

TEST_CASE("Ranks of one kernel share its cores, whatever they call their hosts") {
  // Two ranks of two threads on one machine of two cores, and a third alone on another.
  const CoreDemand both = busiest({{"a", 2, {0, 1}}, {"a", 2, {0, 1}}, {"b", 2, {0, 1}}});
  CHECK(both.threads == 4);
  CHECK(both.cores == 2);
  const CoreDemand apart = busiest({{"a", 1, {0, 1}}, {"b", 1, {0, 1}}});
  CHECK(apart.threads == 1);
  CHECK(apart.cores == 2);
}

TEST_CASE("Ranks bound to cores of their own have those, and no more") {
  const CoreDemand enough = busiest({{"a", 1, {0}}, {"a", 1, {1}}});
  CHECK(training_wait_policy(enough) == WaitPolicy::in_mpi);
  // Eight cores in all, but two threads of rank 0 on one of them.
  const CoreDemand bound = busiest({{"a", 2, {0}}, {"a", 2, {1, 2, 3, 4, 5, 6, 7}}});
  CHECK(bound.threads == 2);
  CHECK(bound.cores == 1);
}

TEST_CASE("A rank's threads and cores are written as text and read back") {
  const RankOnCores here = this_rank_on_cores(3);
  CHECK(here.threads == 3);
  CHECK_FALSE(here.cores.empty());
  const RankOnCores there = rank_on_cores(to_text(here));
  CHECK(there.machine == here.machine);
  CHECK(there.threads == here.threads);
  CHECK(there.cores == here.cores);
}

TEST_CASE("A thread that shares cores asks for a millisecond, then sleeps between questions") {
  FakeMachine machine;
  machine.poll_s = 1e-6;
  WaitPause pause(WaitPolicy::share_cores, machine.clock());
  machine.ask_in_vain(pause, 900); // 0.9 ms
  CHECK(machine.sleeps == 0);
  machine.ask_in_vain(pause, 200);
  CHECK(machine.sleeps > 0);
  const int before = machine.sleeps;
  machine.ask_in_vain(pause, 10);
  CHECK(machine.sleeps == before + 10);
}

TEST_CASE("What was found starts the millisecond anew, however many questions it took") {
  FakeMachine machine;
  machine.poll_s = 50e-9;
  WaitPause pause(WaitPolicy::share_cores, machine.clock());
  machine.ask_in_vain(pause, 15'000); // 0.75 ms: some 15,000 questions in shared memory
  pause.found();
  machine.ask_in_vain(pause, 15'000);
  CHECK(machine.sleeps == 0);
}

TEST_CASE("A thread with a core of its own never sleeps") {
  FakeMachine machine;
  machine.poll_s = 1;
  WaitPause pause(WaitPolicy::in_mpi, machine.clock());
  machine.ask_in_vain(pause, 1000);
  CHECK(machine.sleeps == 0);
}

TEST_CASE("The policy stands in words") {
  CHECK(text_of(WaitPolicy::in_mpi) == "waits inside MPI");
  CHECK(text_of(WaitPolicy::share_cores) == "asks MPI for 1 ms, then sleeps 20 us between questions");
}
