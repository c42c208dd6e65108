#include "sim/neighbours/jobs.hpp"
#include "sim/network/max_min.hpp"
#include "tests/neighbours/random_jobs.hpp"

#include <catch2/catch.hpp>

#include <limits>
#include <stdexcept>

using ddlsim::Job;
using ddlsim::RingPace;
using ddlsim::Rounds;
using ddlsim::SharedLink;
using ddlsim::Transfer;

namespace {

constexpr double sum_rounding = 1e-12;

Job sender(double edge_Bps) {
  Job job;
  job.compute_s = 1;
  job.edge_Bps = edge_Bps;
  job.transfers = {{0, 1, 1e9, 8}};
  return job;
}

/// Max-min rates of the jobs that send.
std::vector<double> rates_Bps(const std::vector<SharedLink>& links, const std::vector<double>& fastest_Bps,
                              const std::vector<bool>& sends) {
  ddlsim::MaxMin rates(0);
  for (const SharedLink& link : links) rates.add_link(link.rate_Bps);
  for (std::size_t job = 0; job < sends.size(); ++job) {
    std::vector<ddlsim::MaxMin::Crossing> crossings{{rates.add_link(fastest_Bps[job]), 1}};
    for (std::size_t i = 0; i < links.size(); ++i)
      if (links[i].flows[job] > 0) crossings.push_back({i, static_cast<double>(links[i].flows[job])});
    rates.set_active(rates.add_flow(crossings), sends[job]);
  }
  rates.settle();
  std::vector<double> found_Bps;
  for (std::size_t job = 0; job < sends.size(); ++job) found_Bps.push_back(sends[job] ? rates.rate_Bps(job) : 0);
  return found_Bps;
}

} // namespace

TEST_CASE("neighbours: a message alone is held back by its edge or by its own job's messages") {
  const std::vector<SharedLink> links{{6e9, {3, 0}}, {5e9, {1, 4}}};
  CHECK(alone_Bps(links, sender(3e9), 0) == 2e9);
  CHECK(alone_Bps(links, sender(1e9), 0) == 1e9);
  CHECK(alone_Bps(links, sender(3e9), 1) == 1.25e9);
}

TEST_CASE("neighbours: the rounds of a transfer take alone_s together") {
  const Job job = sender(1e9);
  const Rounds eight = rounds_of(job, {0, 3, 1e9, 8}, 1e9, 64);
  CHECK(eight.count == 8);
  CHECK(eight.alone_s == Approx(3.0 / 8));
  CHECK(eight.busy_s == Approx(1.0 / 8));
  CHECK(eight.bytes == Approx(1e9 / 8));
  CHECK(rounds_of(job, {0, 3, 1e9, 2046}, 1e9, 64).count == 64);
  CHECK(rounds_of(job, {0, 0.5, 1e9, 8}, 1e9, 64).bytes == Approx(0.5e9)); // alone_s leaves no time for more
  CHECK(rounds_of(job, {0, 1, 1e9, 8}, 1e9, 64).count == 1);               // no latency: one message after another
  CHECK(rounds_of(job, {0, 1, 0, 8}, 0, 64).bytes == 0);
}

TEST_CASE("neighbours: where every edge waits, latency and message take turns") {
  RingPace pace({3, 5, 2, 100, 1}, 10);
  CHECK(pace.ready_s() == Approx(10));
  pace.sent(16); // 4 later than alone
  CHECK(pace.ready_s() == Approx(19));
  pace.sent(21);
  CHECK(pace.ready_s() == Approx(24));
  pace.sent(26);
  CHECK(pace.is_over());
  CHECK(pace.ready_s() == Approx(29));
}

TEST_CASE("neighbours: an edge that is slow alone delays a chunk once in a turn of the ring") {
  RingPace pace({6, 5, 2, 100, 2.5}, 0);
  CHECK(pace.ready_s() == Approx(0));
  pace.sent(4); // 2 later than alone
  CHECK(pace.ready_s() == Approx(5));
  pace.sent(9);
  CHECK(pace.ready_s() == Approx(11)); // the turn before lies between a chunk on time, at -3, and one at 4
  pace.sent(15);
  CHECK(pace.ready_s() == Approx(17)); // between 4 and 9, and a turn of 12.5 less the message
}

TEST_CASE("neighbours: slow edges are counted by how much slower than alone they are") {
  const std::vector<SharedLink> links{{1e9, {1, 1}}, {1e9, {1, 0}}, {2e9, {2, 1}}, {3e9, {1, 1}}};
  const Job job = sender(1e9);
  const auto apart = [&](const std::vector<std::vector<std::size_t>>& edges) {
    return find_edges_apart(links, job, 0, edges);
  };
  CHECK(apart({{}, {}, {0}, {}}) == Approx(4));        // one of four at half the rate
  CHECK(apart({{0}, {0}, {0, 3}, {0}}) == Approx(1));  // all of them
  CHECK(apart({{}, {0}, {2}, {}}) == Approx(4 / 1.5)); // link 2 takes 1.5 times as long: half as much more
  CHECK(apart({{1}, {3}}) == 1);                       // no neighbour slows an edge
}

TEST_CASE("neighbours: links that decide nothing are left out") {
  const std::vector<Job> jobs{sender(1e9), sender(1e9)};
  const std::vector<SharedLink> links{{1e9, {1, 0}},    // one job only
                                      {2e9, {1, 1}},    // wide enough for both
                                      {1.5e9, {1, 1}},  // decides
                                      {1.5e9, {1, 1}},  // the same
                                      {1.8e9, {1, 1}},  // not before the third
                                      {3.2e9, {1, 3}}}; // decides: more messages of job 1
  const auto kept = binding_links(links, jobs);
  REQUIRE(kept.size() == 2);
  CHECK(kept[0].rate_Bps == 1.5e9);
  CHECK(kept[1].rate_Bps == 3.2e9);
}

TEST_CASE("neighbours: no rate changes by the links that are left out", "[property]") {
  std::mt19937_64 random(31);
  for (int draw = 0; draw < 500; ++draw) {
    std::vector<Job> jobs;
    std::vector<double> fastest_Bps;
    std::vector<SharedLink> links(1 + random() % 12);
    const std::size_t count = 1 + random() % 4;
    for (std::size_t job = 0; job < count; ++job) jobs.push_back(sender(ddlsim_test::uniform(random, 1, 9)));
    for (SharedLink& link : links) {
      link.rate_Bps = ddlsim_test::uniform(random, 1, 20);
      for (std::size_t job = 0; job < jobs.size(); ++job) link.flows.push_back(ddlsim_test::whole(random, 0, 4));
    }
    for (std::size_t job = 0; job < jobs.size(); ++job) fastest_Bps.push_back(alone_Bps(links, jobs[job], job));
    std::vector<bool> sends;
    for (std::size_t job = 0; job < jobs.size(); ++job) sends.push_back(random() % 3 != 0);
    const auto all_Bps = rates_Bps(links, fastest_Bps, sends);
    const auto few_Bps = rates_Bps(binding_links(links, jobs), fastest_Bps, sends);
    INFO("draw " << draw);
    for (std::size_t job = 0; job < jobs.size(); ++job)
      CHECK(few_Bps[job] == Approx(all_Bps[job]).epsilon(sum_rounding));
  }
}

TEST_CASE("neighbours: what cannot be timed is refused with its place") {
  const std::vector<SharedLink> links{{1e9, {1}}};
  const std::vector<Job> jobs{sender(1e9)};
  const auto refused = [&](const auto& spoil) {
    auto bad_links = links;
    auto bad_jobs = jobs;
    int iterations = 1;
    spoil(bad_links, bad_jobs, iterations);
    CHECK_THROWS_AS(require_usable(bad_links, bad_jobs, iterations), std::invalid_argument);
  };
  CHECK_NOTHROW(require_usable(links, jobs, 1));
  refused([](auto&, auto& all, int&) { all.clear(); });
  refused([](auto&, auto&, int& iterations) { iterations = 0; });
  refused([](auto& shared, auto&, int&) { shared[0].rate_Bps = 0; });
  refused([](auto& shared, auto&, int&) { shared[0].flows = {1, 1}; });
  refused([](auto& shared, auto&, int&) { shared[0].flows = {-1}; });
  refused([](auto&, auto& all, int&) { all[0].start_s = -1; });
  refused([](auto&, auto& all, int&) { all[0].edge_Bps = std::numeric_limits<double>::infinity(); });
  refused([](auto&, auto& all, int&) { all[0].edge_Bps = 0; });
  refused([](auto&, auto& all, int&) { all[0].edges_apart = 0.5; });
  refused([](auto&, auto& all, int&) { all[0].transfers[0].rounds = 0; });
  refused([](auto&, auto& all, int&) { all[0].transfers[0].alone_s = std::numeric_limits<double>::quiet_NaN(); });
  refused([](auto&, auto& all, int&) { all[0] = {}; });
  CHECK_THROWS_WITH(require_usable({{0, {1}}}, jobs, 1), "neighbours: shared link 0: a shared link needs a rate");
}
