#include "sim/simgrid/executor.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using ddlsim::AsyncExchange;
using ddlsim::AsyncTiming;
using ddlsim::Engine;
using ddlsim::Machine;
using ddlsim::ServerMachine;

namespace {

/// What the project promises of asynchronous servers with fewer pushes and fewer rounds.
constexpr double promised_async = 0.03;

enum class Shards { equal, one_triple };

/// One line of the comparison. Compute is 1 s, NICs 1 GB/s; `transfer_s` is all bytes over one NIC.
struct AsyncRow {
  int workers;
  int servers;
  bool dedicated;
  Shards shards;
  double transfer_s;
  double spread;
  bool overlapped;
};

/// A line where the formula does not keep the promise: what was measured, and what sim/simgrid/executor.hpp says.
struct GapRow {
  AsyncRow row;
  double gap; ///< iteration by the formula / full - 1
};

/// Half a per cent of chance in each of the two runs, and figures rounded to a per cent.
constexpr double gap_tolerance = 0.015;

double load(Shards shards, int server) {
  return shards == Shards::one_triple && server == 0 ? 3 : 1;
}

/// Each server's bytes in equal parts, ready at the end of compute or one after another in its last two thirds.
AsyncExchange make_async(const AsyncRow& row, int parts = 4) {
  double sum = 0;
  for (int server = 0; server < row.servers; ++server) {
    sum += load(row.shards, server);
  }
  AsyncExchange async;
  async.compute_s = 1;
  async.compute_spread = row.spread;
  for (int part = 0; part < parts; ++part) {
    for (int server = 0; server < row.servers; ++server) {
      const double size_bytes = row.transfer_s * 1e9 * load(row.shards, server) / sum / parts;
      async.exchange.shards.push_back({part * row.servers + server, server, size_bytes});
      async.exchange.ready_s.push_back(row.overlapped ? (1 + 2.0 * (part + 1) / parts) / 3 : 1.0);
    }
  }
  return async;
}

AsyncTiming run(const AsyncRow& row, Engine engine, int parts = 4, double nic_duplex = 1) {
  Machine machine = ddlsim::ideal_workers(row.workers);
  machine.intra_Bps = 1e10;
  machine.nic_duplex = nic_duplex;
  return executor_of(engine).async_servers(machine, ddlsim::server_machine(row.servers, row.dedicated),
                                           make_async(row, parts));
}

std::string text_of(const AsyncRow& row) {
  return std::to_string(row.workers) + " workers, " + std::to_string(row.servers) +
         (row.dedicated ? " dedicated" : " colocated") + ", transfer " + std::to_string(row.transfer_s) + ", spread " +
         std::to_string(row.spread) + (row.overlapped ? ", overlapped" : "");
}

/// Sanitizer builds are 60 x slower, and two workers already need a hundred rounds.
constexpr int most_workers = ddlsim::most_ranks >= 64 ? 64 : 1;

bool small_enough(const AsyncRow& row) {
  return row.workers <= most_workers;
}

} // namespace

TEST_CASE("asynchronous servers: fewer rounds are within 3 % of every message") {
  const AsyncRow rows[] = {
      {1, 1, true, Shards::equal, 0.4, 0.05, false},      {1, 2, true, Shards::one_triple, 0.6, 0.05, true},
      {2, 1, true, Shards::equal, 0.4, 0.05, false},      {2, 1, true, Shards::equal, 0.4, 0.05, true},
      {8, 1, true, Shards::equal, 0.15, 0.02, true},      {8, 1, true, Shards::equal, 0.15, 0.1, true},
      {32, 1, true, Shards::equal, 0.035, 0.05, true},    {64, 1, true, Shards::equal, 0.0175, 0.1, false},
      {4, 2, true, Shards::one_triple, 0.6, 0.05, false}, {8, 4, true, Shards::one_triple, 0.6, 0.05, false},
      {8, 4, true, Shards::one_triple, 0.6, 0.05, true},  {8, 8, true, Shards::equal, 1, 0.05, true},
      {2, 1, false, Shards::equal, 0.4, 0.05, false},     {2, 2, false, Shards::equal, 1, 0.05, true},
  };
  for (const AsyncRow& row : rows) {
    if (!small_enough(row)) continue;
    const AsyncTiming full = run(row, Engine::full);
    const AsyncTiming classes = run(row, Engine::classes);
    INFO(text_of(row));
    CHECK(classes.iteration_s == Approx(full.iteration_s).epsilon(promised_async));
    CHECK(classes.updates_per_s == Approx(row.workers / classes.iteration_s));
    CHECK(classes.busiest_server == full.busiest_server);
  }
}

TEST_CASE("asynchronous servers: fewer, larger pushes are within 3 % of every message") {
  const AsyncRow rows[] = {{8, 1, true, Shards::equal, 0.15, 0.05, true},
                           {4, 2, true, Shards::one_triple, 0.6, 0.05, true}};
  for (const AsyncRow& row : rows) {
    if (!small_enough(row)) continue;
    constexpr int small = 20; // pushes of a server; 2 to 8 workers on 1 to 4 servers with 40 are within it too
    const AsyncExchange async = make_async(row, small);
    REQUIRE(ddlsim::messages_of_iteration(ddlsim::with_fewer_pushes(async).exchange) <= 18 * row.servers);
    REQUIRE(ddlsim::messages_of_iteration(async.exchange) == (small + 1) * row.servers);
    const AsyncTiming full = run(row, Engine::full, small);
    const AsyncTiming fewer = run(row, Engine::classes, small);
    INFO(text_of(row));
    CHECK(fewer.iteration_s == Approx(full.iteration_s).epsilon(promised_async));
    CHECK(fewer.simgrid_messages > 0);
    CHECK(fewer.simgrid_messages < full.simgrid_messages);
  }
}

TEST_CASE("asynchronous servers: where the formula does not keep the promise, by how much") {
  const GapRow rows[] = {
      {{2, 1, true, Shards::equal, 0.4, 0.05, true}, -0.19},
      {{8, 1, true, Shards::equal, 0.15, 0.05, true}, -0.28},
      {{8, 4, true, Shards::one_triple, 0.6, 0.05, false}, -0.39},
  };
  for (const GapRow& line : rows) {
    if (!small_enough(line.row)) continue;
    INFO(text_of(line.row));
    const double gap = run(line.row, Engine::formula).iteration_s / run(line.row, Engine::full).iteration_s - 1;
    CHECK(std::abs(gap - line.gap) < gap_tolerance);
  }
}

TEST_CASE("asynchronous servers: without overlap, equal shards, the mean value analysis is the full simulation") {
  const AsyncRow rows[] = {
      {2, 1, true, Shards::equal, 0.4, 0.05, false},  {8, 1, true, Shards::equal, 0.15, 0.02, false},
      {16, 1, true, Shards::equal, 0.07, 0.1, false}, {4, 2, true, Shards::equal, 0.6, 0.05, false},
      {8, 8, true, Shards::equal, 1, 0.05, false},
  };
  for (const AsyncRow& row : rows) {
    if (!small_enough(row)) continue;
    INFO(text_of(row));
    const AsyncTiming full = run(row, Engine::full);
    const AsyncTiming closed = run(row, Engine::formula);
    CHECK(closed.iteration_s == Approx(full.iteration_s).epsilon(promised_async));
    CHECK(closed.mean_staleness == Approx(full.mean_staleness).epsilon(promised_async));
  }
}

TEST_CASE("asynchronous servers: where a NIC's ways meet, the formula is within a fifth of every message") {
  constexpr double mean_values = 0.2; // the chance of meeting is taken as independent of the queue
  const AsyncRow rows[] = {
      {2, 1, true, Shards::equal, 0.4, 0.05, false},      {2, 1, true, Shards::equal, 10, 0.05, false},
      {8, 1, true, Shards::equal, 0.15, 0.1, false},      {8, 1, true, Shards::equal, 0.15, 0.1, true},
      {4, 2, true, Shards::one_triple, 0.6, 0.05, false}, {2, 1, false, Shards::equal, 0.4, 0.05, false},
      {2, 2, false, Shards::equal, 1, 0.05, false},       {4, 4, false, Shards::equal, 1, 0.05, false},
  };
  for (const AsyncRow& row : rows) {
    if (!small_enough(row)) continue;
    for (const double duplex : {0.4, 0.7}) {
      const AsyncTiming every = run(row, Engine::full, 4, duplex);
      INFO(text_of(row) << ", duplex " << duplex);
      CHECK(run(row, Engine::formula, 4, duplex).iteration_s == Approx(every.iteration_s).epsilon(mean_values));
    }
  }
}

// Transfers of 10 s each way beside a compute of 1 s, and workers that hardly differ. One after the other they take
// 21 s, in lock-step 41; at phases of every kind 1 + 3 x 10 by the product form, less what compute hides.
TEST_CASE("asynchronous servers: on slow links workers do not stay in the lock-step they start in") {
  const AsyncRow row{2, 1, true, Shards::equal, 10, 0.001, false};
  const double independent_s = run(row, Engine::formula).iteration_s;
  CHECK(independent_s == Approx(30.4).epsilon(0.01));
  for (const Engine engine : {Engine::classes, Engine::full}) {
    if (!small_enough(row)) continue;
    CHECK(run(row, engine).iteration_s == Approx(independent_s).epsilon(promised_async));
  }
}

TEST_CASE("asynchronous servers: one worker waits for nobody, and has no stale parameters") {
  for (const bool overlapped : {false, true}) {
    const AsyncRow row{1, 1, true, Shards::equal, 0.4, 0, overlapped};
    for (const Engine engine : {Engine::formula, Engine::classes, Engine::full}) {
      const AsyncTiming timing = run(row, engine);
      CHECK(timing.iteration_s == Approx(0.4 + 1 + (overlapped ? 0.1 : 0.4)).epsilon(1e-6)); // the last push is 0.1 s
      CHECK(timing.mean_staleness == 0);
    }
  }
}

TEST_CASE("asynchronous servers: the same seed gives the same bytes, another seed other draws") {
  for (const Engine engine : {Engine::classes, Engine::full}) {
    const AsyncRow row{std::min(2, most_workers), 1, true, Shards::equal, 0.4, 0.1, true};
    const AsyncTiming one = run(row, engine);
    const AsyncTiming same = run(row, engine);
    CHECK(one.iteration_s == same.iteration_s);
    CHECK(one.mean_staleness == same.mean_staleness);
    AsyncExchange other = make_async(row);
    other.seed = 2;
    CHECK(executor_of(engine)
              .async_servers(ddlsim::ideal_workers(row.workers), ddlsim::server_machine(1, true), other)
              .iteration_s != one.iteration_s);
  }
}

TEST_CASE("asynchronous servers: a slow node holds up nobody else") {
  AsyncRow row{2, 1, true, Shards::equal, 1e-6, 0, false};
  AsyncExchange async = make_async(row);
  async.slow_factor = 2;
  for (const Engine engine : {Engine::formula, Engine::classes, Engine::full}) {
    if (engine != Engine::formula && most_workers < 2) continue;
    const auto timing =
        executor_of(engine).async_servers(ddlsim::ideal_workers(2), ddlsim::server_machine(1, true), async);
    CHECK(timing.updates_per_s == Approx(1 + 0.5).epsilon(1e-3)); // transfers of 1 us
  }
}

TEST_CASE("asynchronous servers: what cannot run is refused before it is forked") {
  AsyncExchange async = make_async({2, 1, true, Shards::equal, 0.4, 0.1, false});
  async.compute_s = 0;
  const Machine machine = ddlsim::ideal_workers(2);
  const ServerMachine servers = ddlsim::server_machine(1, true);
  CHECK_THROWS_AS(executor_of(Engine::full).async_servers(machine, servers, async), std::invalid_argument);
  async.compute_s = 1;
  async.exchange.ready_s.clear();
  CHECK_THROWS_AS(executor_of(Engine::formula).async_servers(machine, servers, async), std::invalid_argument);
}
