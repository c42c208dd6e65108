#include "plan/goodput.hpp"
#include "sim/base/statistics.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <random>
#include <set>
#include <vector>

namespace ddlsim {
namespace {

/// One run of the same process: failures are exponential, and strike work, checkpoints and restarts alike.
double simulated_time_s(const FailingJob& job, double work_s, double interval_s, std::mt19937_64& random) {
  std::exponential_distribution<double> next_failure(1 / job.mtbf_s);
  double now_s = 0;
  double done_s = 0;
  while (done_s < work_s) {
    double left_s = interval_s + job.checkpoint_s;
    for (double until_s = next_failure(random); until_s < left_s; until_s = next_failure(random)) {
      now_s += until_s;
      left_s = job.restart_s + interval_s + job.checkpoint_s;
    }
    now_s += left_s;
    done_s += interval_s;
  }
  return now_s;
}

} // namespace

TEST_CASE("expected time under failures is that of the process, run many times") {
  const FailingJob job{4000, 60, 300};
  constexpr int runs = 4000;
  std::mt19937_64 random(7);
  for (const double interval_s : {300.0, 700.0, 2000.0}) {
    const double work_s = 20 * interval_s;
    std::vector<double> times_s;
    for (int i = 0; i < runs; ++i) times_s.push_back(simulated_time_s(job, work_s, interval_s, random));
    const double tolerance = 4 * standard_deviation(times_s) / std::sqrt(runs); // 4 standard errors of the mean
    CHECK(std::abs(expected_time_s(job, work_s, interval_s) - mean(times_s)) < tolerance);
  }
}

TEST_CASE("no interval between checkpoints is better than the best by more than a hundredth of a percent") {
  for (const double mtbf_s : {1000.0, 10'000.0, 1e6}) {
    const FailingJob job{mtbf_s, 20, 100};
    const double best = expected_time_s(job, 1e6, best_checkpoint_interval_s(job));
    for (double interval_s = 10; interval_s < 3e5; interval_s *= 1.05)
      CHECK(best < expected_time_s(job, 1e6, interval_s) * (1 + 1e-4));
  }
}

namespace {

/// Share of a long time in which no more nodes than there are spares are under repair; repairs take an even time.
double simulated_share(const FailingJob& job, double end_s, std::mt19937_64& random) {
  std::exponential_distribution<double> next_failure(1 / job.mtbf_s);
  std::multiset<double> repaired_s;
  double now_s = 0;
  double waited_s = 0;
  while (now_s < end_s) {
    now_s += next_failure(random); // only a job that runs fails
    repaired_s.erase(repaired_s.begin(), repaired_s.upper_bound(now_s));
    repaired_s.insert(now_s + job.repair_s);
    if (repaired_s.size() <= static_cast<std::size_t>(job.spare_nodes)) continue;
    waited_s += *repaired_s.begin() - now_s;
    now_s = *repaired_s.begin();
    repaired_s.erase(repaired_s.begin());
  }
  return 1 - waited_s / now_s;
}

} // namespace

TEST_CASE("the share of time with enough nodes is that of the process, whatever the spares") {
  std::mt19937_64 random(11);
  for (const int spares : {0, 1, 3}) {
    const FailingJob job{100, 1, 0, 80, spares};
    // 10^6 s are ten thousand failures: the share is sure to a hundredth
    CHECK(share_with_enough_nodes(job) == Approx(simulated_share(job, 1e6, random)).margin(0.01));
  }
}

TEST_CASE("a node that fails once in nine hours and is repaired in one works nine hours of ten") {
  CHECK(share_with_enough_nodes({9, 1, 0, 1, 0}) == Approx(0.9));
  // Erlang's formula by hand: one spare, load 1/9: (1/9)^2/2 over 1 + 1/9 + (1/9)^2/2
  CHECK(share_with_enough_nodes({9, 1, 0, 1, 1}) == Approx(1 - (1.0 / 162) / (1 + 1.0 / 9 + 1.0 / 162)));
  CHECK(share_with_enough_nodes({9, 1, 0, 0, 0}) == 1);
}

TEST_CASE("a job that never fails takes as long as its work") {
  CHECK(expected_time_s(FailingJob{}, 5000) == 5000);
  CHECK(best_checkpoint_interval_s(FailingJob{}) == 0);
}

TEST_CASE("a node in three hours, a checkpoint of a minute: the closed form by hand") {
  // M = 10800 / 3 = 3600 s, d = 60 s, t = 600 s, R = 0: 3600 (exp(660/3600) - 1) 6000/600
  const FailingJob job{3600, 60, 0};
  CHECK(expected_time_s(job, 6000, 600) == Approx(3600 * (std::exp(660.0 / 3600) - 1) * 10));
}

// A. Dubey et al., "The Llama 3 Herd of Models", 2024, section 3.3.4: 419 unexpected interruptions of 16,384 GPUs in 54
// days, over 90 % effective training time. Checkpoints and restarts are not told: ten seconds and ten minutes here,
// which large sharded checkpoints and a scheduler reach.
TEST_CASE("the published run of 16,384 GPUs is effective for more than 90 % of its time") {
  constexpr double day_s = 86'400;
  const FailingJob job{54 * day_s / 419, 10, 600};
  const double goodput = 54 * day_s / expected_time_s(job, 54 * day_s);
  CHECK(goodput > 0.9);
  CHECK(goodput < 1);
}

} // namespace ddlsim
