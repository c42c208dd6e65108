// When a job no longer gets on, and whom the message names.
#include "trainer/communication/rank_watch.hpp"

#include <catch2/catch.hpp>

using namespace ddltrain;

namespace {

using Catch::StartsWith;

/// A job of three ranks on hosts a, a, b, as one of them sees it, and a clock that only moves when it is told to.
struct Watched {
  explicit Watched(int own, Steps steps = Steps::together, StallLimits limits = {})
      : own_rank(own), watch({"a", "a", "b"}, own, limits, steps) {
    watch.look(time_s);
  }

  /// So many seconds, in which a sign comes of these ranks each second.
  void pass(int seconds, const std::vector<int>& alive) {
    for (int i = 0; i < seconds; ++i) {
      watch.look(++time_s);
      for (const int rank : alive) watch.heard_of(rank, done[static_cast<std::size_t>(rank)]);
    }
  }
  /// All three do a step.
  void step() {
    for (std::int64_t& steps : done) ++steps;
    watch.beat(time_s);
  }
  std::string verdict() const { return watch.verdict().value_or(""); }

  int own_rank;
  double time_s = 1000;
  std::vector<std::int64_t> done = {0, 0, 0};
  RankWatch watch;
};

const std::vector<int> others_of0 = {1, 2};

} // namespace

TEST_CASE("A step is too long above ten medians, and above a minute") {
  const StallLimits limits;
  CHECK(stall_limit_s(limits, {}) == 60);
  CHECK(stall_limit_s(limits, {0.1, 0.2, 0.3}) == 60);
  CHECK(stall_limit_s(limits, {10, 11, 12}) == 110);
  CHECK(stall_limit_s({5, 10}, {0.1}) == 5);
  CHECK(sign_interval_s(limits) == 5);
  CHECK(sign_interval_s({5, 10}) == 0.5);
}

TEST_CASE("A rank that stops in a step is named, with its host") {
  Watched job(0);
  job.step();
  job.pass(60, {2});
  CHECK(job.verdict().empty());
  job.pass(1, {2});
  CHECK(job.verdict() == "rank 1 on host a has not answered for 61 s");
}

TEST_CASE("Ranks that stop before the first step, or while none is under way, are named too") {
  Watched before(0);
  before.pass(61, {1});
  CHECK(before.verdict() == "rank 2 on host b has not answered for 61 s");
  Watched resting(0);
  resting.step();
  resting.watch.rest();
  resting.pass(61, {});
  CHECK(resting.verdict() == "rank 1 on host a, rank 2 on host b have not answered for 61 s");
}

TEST_CASE("At rest, and before the first step, ranks that answer may take any time") {
  Watched job(0);
  job.pass(1000, others_of0);
  CHECK(job.verdict().empty());
  job.step();
  job.watch.rest();
  job.pass(1000, others_of0);
  CHECK(job.verdict().empty());
}

TEST_CASE("Ranks that wait for each other in each step need no other sign, and those that do not need one") {
  const auto after_steps = [](Steps steps) {
    Watched job(0, steps);
    for (int i = 0; i < 100; ++i) {
      job.pass(1, {1});
      job.step();
    }
    return job.verdict();
  };
  CHECK(after_steps(Steps::together).empty());
  CHECK(after_steps(Steps::alone) == "rank 2 on host b has not answered for 100 s");
}

TEST_CASE("A rank that answers from an earlier step is named as behind") {
  Watched job(0);
  for (int i = 0; i < 3; ++i) job.step();
  job.done[2] = 2;
  job.pass(61, others_of0);
  CHECK(job.verdict() == "rank 2 on host b is behind, though it answers, and the others have waited for 61 s");
}

TEST_CASE("A server counts no steps, and is not behind for that") {
  Watched job(0);
  job.step();
  job.done[2] = 0;
  job.pass(61, others_of0);
  CHECK_THAT(job.verdict(), StartsWith("all ranks answer, but none has got on for 61 s"));
}

TEST_CASE("A long step has ten times its like, and who stopped meanwhile is silent, not behind") {
  Watched job(0);
  for (int i = 0; i < 3; ++i) {
    job.step();
    job.pass(30, others_of0);
  }
  job.step();
  job.pass(269, others_of0);
  job.pass(31, {1});
  CHECK(job.verdict().empty());
  job.pass(1, {1});
  CHECK(job.verdict() == "rank 2 on host b has not answered for 32 s");
}

TEST_CASE("Rank 0 reports, of rank 0 rank 1, and nobody else") {
  Watched second(1);
  second.step();
  second.pass(100, {0});
  CHECK(second.verdict().empty()); // of rank 2, which rank 0 tells
  second.pass(61, {2});
  CHECK(second.verdict() == "rank 0 on host a has not answered for 61 s");
  Watched third(2);
  third.step();
  third.pass(100, {});
  CHECK(third.verdict().empty());
}

TEST_CASE("A process that was stopped itself, or got no core, accuses nobody") {
  Watched job(0);
  job.step();
  job.time_s += 3600;
  job.pass(1, {});
  CHECK(job.verdict().empty());
  job.pass(1, others_of0);
  job.pass(50, others_of0);
  CHECK(job.verdict().empty());
}

TEST_CASE("Ranks that have done their part are not missed") {
  Watched job(0);
  job.step();
  job.watch.has_left(1);
  job.watch.rest();
  job.pass(100, {2});
  CHECK(job.verdict().empty());
  Watched last(0);
  last.step();
  last.watch.has_left(1);
  last.watch.has_left(2);
  last.pass(100, {}); // writes to a slow disk
  CHECK(last.verdict().empty());
}
