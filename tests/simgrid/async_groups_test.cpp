#include "sim/parameter_server/async_draws.hpp"
#include "sim/simgrid/executor.hpp"
#include "sim/simgrid/full.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <numeric>
#include <vector>

using ddlsim::AsyncExchange;
using ddlsim::AsyncGroups;
using ddlsim::AsyncTiming;
using ddlsim::Engine;
using ddlsim::group_asynchronous;
using ddlsim::Machine;
using ddlsim::server_machine;
using ddlsim::ServerMachine;

namespace {

/// Compute is 1 s, NICs 1 GB/s; `transfer_s` is all bytes over one NIC. Server 0 has `first` times what another has.
struct GroupedRow {
  int workers;
  int servers;
  bool dedicated;
  double transfer_s;
  bool overlapped;
  double nic_duplex = 1;
  double first = 1;
};

Machine grouped_workers(int nodes, double nic_duplex = 1) {
  Machine machine = ddlsim::ideal_workers(nodes);
  machine.intra_Bps = 1e10;
  machine.nic_duplex = nic_duplex;
  return machine;
}

/// Each server's bytes in four equal parts, ready when compute ends or one after another in its last two thirds.
AsyncExchange grouped_exchange(const GroupedRow& row) {
  constexpr int parts = 4;
  AsyncExchange async;
  async.compute_s = 1;
  async.compute_spread = 0.05;
  for (int part = 0; part < parts; ++part) {
    for (int server = 0; server < row.servers; ++server) {
      const double load = server == 0 ? row.first : 1;
      const double size_bytes = row.transfer_s * 1e9 * load / (row.first + row.servers - 1) / parts;
      async.exchange.shards.push_back({part * row.servers + server, server, size_bytes});
      async.exchange.ready_s.push_back(row.overlapped ? (1 + 2.0 * (part + 1) / parts) / 3 : 1.0);
    }
  }
  return async;
}

AsyncTiming run_grouped(const GroupedRow& row, Engine engine) {
  return executor_of(engine).async_servers(grouped_workers(row.workers, row.nic_duplex),
                                           server_machine(row.servers, row.dedicated), grouped_exchange(row));
}

/// Bytes on each server of a run, most first.
std::vector<double> loads_of(const AsyncGroups& groups) {
  std::vector<double> loads_bytes(ddlsim::at(groups.servers.servers), 0.0);
  for (const auto& shard : groups.async.exchange.shards) loads_bytes[ddlsim::at(shard.server)] += shard.size_bytes;
  std::sort(loads_bytes.rbegin(), loads_bytes.rend());
  return loads_bytes;
}

} // namespace

TEST_CASE("asynchronous groups: dedicated servers are as busy as by all workers") {
  const GroupedRow row{1024, 3, true, 0.01, true, 1, 2};
  const Machine machine = grouped_workers(row.workers);
  ServerMachine servers = server_machine(row.servers, true);
  servers.process_Bps = 5e8;
  servers.connection_Bps = 1e8;
  const auto groups = group_asynchronous(machine, servers, grouped_exchange(row));
  const double share = groups.machine.nodes() / 1024.0;
  CHECK_FALSE(groups.is_whole);
  CHECK(groups.machine.nodes() <= ddlsim::most_run_workers);
  CHECK(groups.machine.nic_Bps == machine.nic_Bps);
  CHECK(groups.servers.servers == 3);
  CHECK(groups.servers.nic_share == Approx(share));
  CHECK(groups.servers.process_Bps == Approx(share * 5e8));
  CHECK(groups.servers.connection_Bps == 1e8);
  const auto loads_bytes = loads_of(groups);
  CHECK(loads_bytes[0] == Approx(0.5e7));
  CHECK(loads_bytes[2] == Approx(0.25e7));
}

TEST_CASE("asynchronous groups: equal servers stay equal, and a worker's bytes are its own") {
  for (const int servers : {12, 100, 1000}) {
    for (const bool dedicated : {true, false}) {
      INFO(servers << (dedicated ? " dedicated" : " colocated"));
      const GroupedRow row{1000, servers, dedicated, 1, false};
      const auto groups =
          group_asynchronous(grouped_workers(row.workers), server_machine(servers, dedicated), grouped_exchange(row));
      const auto loads_bytes = loads_of(groups);
      CHECK(loads_bytes.front() == Approx(loads_bytes.back()));
      CHECK(std::accumulate(loads_bytes.begin(), loads_bytes.end(), 0.0) == Approx(1e9));
      if (groups.servers.dedicated) continue;
      CHECK(groups.servers.servers == Approx(servers / 1000.0 * groups.machine.nodes()).epsilon(0.05));
      CHECK(groups.servers.nic_share == 1);
    }
  }
}

TEST_CASE("asynchronous groups: the messages of a run are bounded at any scale") {
  for (const int workers : {1, 2, 8, 64, 1024, 16384}) {
    for (const int servers : {1, 8, workers}) {
      const GroupedRow row{workers, servers, servers == 8, 0.5, true};
      const auto groups =
          group_asynchronous(grouped_workers(workers), server_machine(servers, servers == 8), grouped_exchange(row));
      INFO(workers << " workers, " << servers << " servers");
      const double of_worker = messages_of_iteration(groups.async.exchange);
      CHECK(groups.rounds * ddlsim::round_iterations * groups.machine.nodes() * of_worker <= 2.5e5);
      CHECK(groups.rounds >= 8);
      CHECK(groups.is_whole == (groups.machine.nodes() == workers && groups.servers.servers == servers));
    }
  }
}

TEST_CASE("asynchronous groups: leaves and the slow node are those of all workers, less") {
  Machine machine = grouped_workers(640);
  machine.nodes_per_leaf = 40;
  machine.uplink_Bps = 1e10;
  machine.slow_nic_factor = 0.5;
  AsyncExchange async = grouped_exchange({640, 1, true, 0.001, false});
  async.slow_factor = 2;
  const auto groups = group_asynchronous(machine, server_machine(1, true), async);
  const double share = groups.machine.nodes() / 640.0;
  CHECK(groups.machine.uplink_Bps / groups.machine.nodes_per_leaf == Approx(1e10 / 40));
  CHECK(groups.machine.nodes_per_leaf == std::lround(40 * share));
  CHECK(groups.machine.slow_nic_factor == Approx(1 - 0.5 * share));
  CHECK(groups.async.slow_factor == Approx(1 + share));
}

TEST_CASE("asynchronous servers: thousands of workers have the server's rate, or are alone") {
  if (ddlsim::most_ranks < 64) return;
  for (const int workers : {3000, 16384}) {
    const auto full_server = run_grouped({workers, 1, true, 0.002, false}, Engine::classes);
    INFO(workers << " workers");
    CHECK(full_server.updates_per_s == Approx(500).epsilon(0.01));
    CHECK(full_server.busiest_server_share == Approx(1).epsilon(0.01));
    const auto alone = run_grouped({workers, 1, true, 2e-6, false}, Engine::classes);
    CHECK(alone.iteration_s == Approx(1).epsilon(0.01));
  }
}

TEST_CASE("asynchronous servers: some of the workers take what all take") {
  if (ddlsim::most_ranks < 64) return;
  struct Gap {
    GroupedRow row;
    int most_workers; ///< that are run
    double gap;       ///< iteration / full - 1, as sim/simgrid/executor.hpp has it
  };
  constexpr double gap_tolerance = 0.02; // chance, in this run and in full
  const Gap gaps[] = {
      {{32, 1, true, 0.035, true}, 16, -0.01},
      {{32, 1, true, 0.035, true}, 8, -0.05},
      {{32, 2, true, 0.06, true, 0.4}, 16, 0},
      {{32, 1, true, 0.035, false}, 8, 0},
      {{64, 4, true, 0.075, true, 0.7, 3}, ddlsim::most_run_workers, -0.04},
      {{64, 4, false, 0.06, true}, ddlsim::most_run_workers, -0.014},
  };
  for (const auto& [row, most_workers, gap] : gaps) {
    const Machine machine = grouped_workers(row.workers, row.nic_duplex);
    const ServerMachine servers = server_machine(row.servers, row.dedicated);
    const AsyncExchange async = grouped_exchange(row);
    const auto groups = group_asynchronous(machine, servers, async, most_workers);
    REQUIRE_FALSE(groups.is_whole);
    const auto some = simulate_async_groups(machine, servers, async, groups);
    const auto full = run_grouped(row, Engine::full);
    INFO(row.workers << " workers, " << groups.machine.nodes() << " run, " << row.servers << " servers");
    CHECK(some.iteration_s / full.iteration_s - 1 == Approx(gap).margin(gap_tolerance));
    CHECK(some.mean_staleness == Approx(full.mean_staleness).epsilon(0.05));
    CHECK(some.busiest_server == full.busiest_server);
    CHECK(some.updates_per_s == Approx(row.workers / some.iteration_s));
  }
}

TEST_CASE("asynchronous servers: grouped, the same seed gives the same bytes") {
  const GroupedRow row{ddlsim::most_ranks * 2, 1, true, 0.01, true};
  const auto one = run_grouped(row, Engine::classes);
  const auto same = run_grouped(row, Engine::classes);
  CHECK(one.iteration_s == same.iteration_s);
  CHECK(one.mean_staleness == same.mean_staleness);
  CHECK(one.simgrid_messages == same.simgrid_messages);
}

TEST_CASE("asynchronous servers: one worker of many servers has no stale parameters") {
  const auto timing = run_grouped({1, 8, true, 0.15, false}, Engine::classes);
  CHECK(timing.iteration_s == Approx(1.3).epsilon(0.01));
  CHECK(timing.mean_staleness == 0);
}
