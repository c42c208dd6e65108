#include "sim/neighbours/jobs.hpp"
#include "sim/simgrid/neighbours_run.hpp"
#include "tests/neighbours/random_jobs.hpp"
#include "tests/simgrid/formula_range.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <functional>
#include <stdexcept>
#include <string>

using ddlsim::promised;
using ddlsim::RingJob;
using ddlsim::SharedTimes;
using ddlsim_test::alone_iteration_s;
using ddlsim_test::Fabric;
using ddlsim_test::jobs_of;
using ddlsim_test::mean_s;
using ddlsim_test::random_fabric;

namespace {

constexpr double edge_Bps = 1e9;

/// A ring without latency whose edges all take the same way, and one transfer of `busy_s` without any other message.
RingJob ring_of(std::size_t ranks, const std::vector<std::size_t>& route, double busy_s, double Bps = edge_Bps) {
  RingJob ring;
  ring.job.edge_Bps = Bps;
  ring.routes.assign(ranks, route);
  ring.job.transfers = {{0, busy_s, busy_s * Bps, 2 * static_cast<int>(ranks) - 2}};
  return ring;
}

/// Latency that comes to `latency_s` in a whole transfer.
RingJob with_latency(RingJob ring, double latency_s) {
  ring.hop_s = latency_s / ring.job.transfers.front().rounds;
  for (auto& transfer : ring.job.transfers) transfer.alone_s += latency_s;
  return ring;
}

/// Two ranks: one edge takes link 0 and the other link 1.
RingJob pair_of(double busy_s) {
  RingJob ring = ring_of(2, {}, busy_s);
  ring.routes = {{0}, {1}};
  return ring;
}

/// More bytes than any job of these tests waits for.
RingJob endless_pair() {
  return pair_of(1000);
}

/// Every iteration of job 0, by rounds and with every message.
void check_all_engines(const Fabric& fabric, double iteration_s) {
  constexpr int iterations = 3;
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  const auto jobs = jobs_of(fabric);
  const auto check = [&](const std::string& engine, const SharedTimes& times) {
    INFO(engine);
    REQUIRE(times.iterations_s.size() == iterations);
    for (const double one_s : times.iterations_s) CHECK(one_s == Approx(iteration_s).epsilon(promised));
  };
  check("rounds", simulate_rounds_in_child(links, jobs, iterations));
  check("every message", simulate_every_message_in_child(fabric.rates_Bps, fabric.rings, iterations));
}

/// Draws small enough for sanitizer builds.
ddlsim_test::Draws small_draws() {
  return {4, std::min(12, ddlsim::most_ranks), 3};
}

} // namespace

TEST_CASE("neighbours: a job alone takes max(compute, transfers) and the rest") {
  RingJob ring = with_latency(ring_of(5, {0}, 0.2), 0.1);
  ring.job.transfers.front().ready_s = 0.3;
  ring.job.transfers.push_back(ring.job.transfers.front());
  ring.job.rest_s = 0.05;
  check_all_engines({{5 * edge_Bps}, {ring}}, 0.95);
  ring.job.compute_s = 2;
  ring.job.start_s = 7;
  check_all_engines({{5 * edge_Bps}, {ring}}, 2.05);
}

TEST_CASE("neighbours: a job that computes only, or waits only, is not slowed") {
  RingJob ring = ring_of(2, {}, 0);
  ring.job.transfers.clear();
  ring.job.compute_s = 0.25;
  check_all_engines({{edge_Bps, edge_Bps}, {ring, endless_pair()}}, 0.25);
}

TEST_CASE("neighbours: two jobs that always send over one link of an edge's rate take twice as long") {
  check_all_engines({{edge_Bps, edge_Bps}, {pair_of(0.5), pair_of(0.5)}}, 1);
  check_all_engines({{edge_Bps, edge_Bps}, {with_latency(pair_of(0.5), 0.3), with_latency(pair_of(0.5), 0.3)}}, 1.3);
}

TEST_CASE("neighbours: a job that never ends takes half of the link") {
  RingJob ring = with_latency(pair_of(0.5), 0.2);
  check_all_engines({{edge_Bps, edge_Bps}, {ring, endless_pair()}}, 1.2);
  ring.job.compute_s = 1.1;
  ring.job.transfers.front().ready_s = 0.25;
  ring.job.rest_s = 0.01;
  check_all_engines({{edge_Bps, edge_Bps}, {ring, endless_pair()}}, 1.46);
}

TEST_CASE("neighbours: three jobs on one link take three times as long") {
  check_all_engines({{edge_Bps, edge_Bps}, {pair_of(0.5), pair_of(0.25), endless_pair()}}, 1.5);
}

TEST_CASE("neighbours: jobs that share no link, or a wide one, do not slow each other") {
  check_all_engines({{edge_Bps, edge_Bps}, {ring_of(2, {}, 0.5), endless_pair()}}, 0.5);
  check_all_engines({{2 * edge_Bps, 2 * edge_Bps}, {pair_of(0.5), endless_pair()}}, 0.5);
}

TEST_CASE("neighbours: every message on a link has the same share, however many a job has") {
  // 2 and 3 messages on 6 GB/s: each gets 1.2 GB/s, and alone 3 or 2 GB/s.
  const RingJob two = ring_of(2, {0}, 0.3, 3e9);
  const RingJob three = ring_of(3, {0}, 0.3, 2e9);
  check_all_engines({{6e9}, {two, three}}, 0.3 * 3 / 1.2);
  check_all_engines({{6e9}, {three, two}}, 0.3 * 2 / 1.2);
}

TEST_CASE("neighbours: an edge that is slow alone delays each chunk once in a turn") {
  // 4 ranks, 6 steps of 0.1 s and as much latency; one edge at half its rate, which each chunk passes twice at most.
  RingJob ring = with_latency(ring_of(4, {}, 0.6), 0.6);
  ring.routes[1] = {0};
  Fabric fabric{{edge_Bps, edge_Bps}, {ring, endless_pair()}};
  set_edges_apart(fabric);
  check_all_engines(fabric, 1.2 + 2 * 0.1);
}

TEST_CASE("neighbours on SimGrid: none makes a job faster than alone", "[property]") {
  std::mt19937_64 random(41);
  for (int draw = 0; draw < 20; ++draw) {
    Fabric fabric = random_fabric(random, {4, 256, 4, 2 + draw % 2});
    time_alone_in_parts(fabric);
    set_edges_apart(fabric);
    draw_start(random, fabric);
    const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
    const double alone_s = alone_iteration_s(fabric.rings[0].job);
    INFO("draw " << draw);
    for (const double iteration_s : simulate_rounds_in_child(links, jobs_of(fabric), 4).iterations_s)
      CHECK(iteration_s >= alone_s * (1 - promised));
  }
}

TEST_CASE("neighbours: the rounds are as close to every message as draws found them") {
  std::mt19937_64 random(43);
  for (int draw = 0; draw < 20; ++draw) {
    Fabric fabric = random_fabric(random, small_draws());
    time_alone_by_messages(fabric);
    set_edges_apart(fabric);
    draw_start(random, fabric);
    const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
    const double rounds_s = mean_s(simulate_rounds_in_child(links, jobs_of(fabric), 8));
    const double messages_s = mean_s(simulate_every_message_in_child(fabric.rates_Bps, fabric.rings, 8));
    INFO("draw " << draw);
    CHECK(rounds_s / messages_s - 1 >= ddlsim::rounds_over_messages.faster);
    CHECK(rounds_s / messages_s - 1 <= ddlsim::rounds_over_messages.slower);
  }
}

TEST_CASE("neighbours on SimGrid: messages are counted, and unusable jobs refused") {
  const Fabric fabric{{edge_Bps, edge_Bps}, {with_latency(ring_of(5, {}, 0.5), 0.1)}};
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  CHECK(simulate_rounds_in_child(links, jobs_of(fabric), 3).messages == 3 * 8);
  CHECK(simulate_every_message_in_child(fabric.rates_Bps, fabric.rings, 3).messages == 3 * 5 * 8);
  CHECK_THROWS_AS(ddlsim::simulate_rounds_in_child(links, {}, 1), std::invalid_argument);
  CHECK_THROWS_AS(ddlsim::simulate_every_message_in_child({}, {pair_of(1)}, 1), std::invalid_argument);
  CHECK_THROWS_AS(ddlsim::simulate_every_message_in_child({}, {ring_of(1, {}, 1)}, 1), std::invalid_argument);
}
