#pragma once
// Small parameter-server exchanges that several tests use.

#include "sim/simgrid/executor.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <vector>

namespace ddlsim {

/// Nodes of one rank, 1 GB/s, and a loopback that is never the narrow place; no latency.
inline Machine ideal_workers(int nodes) {
  Machine machine;
  machine.ranks = nodes;
  machine.intra_Bps = 1e15;
  machine.nic_Bps = 1e9;
  return machine;
}

inline ServerMachine server_machine(int servers, bool dedicated) {
  ServerMachine machine;
  machine.servers = servers;
  machine.dedicated = dedicated;
  return machine;
}

/// The same list of shards on every server, everything ready at 0.
inline ServerExchange on_each_server(int servers, const std::vector<double>& sizes_bytes) {
  ServerExchange exchange;
  for (const double size_bytes : sizes_bytes) {
    for (int server = 0; server < servers; ++server) {
      exchange.shards.push_back({static_cast<int>(exchange.shards.size()), server, size_bytes});
    }
  }
  exchange.ready_s.assign(exchange.shards.size(), 0.0);
  return exchange;
}

inline ServerExchangeTiming full(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange) {
  return executor_of(Engine::full).server_exchange(machine, servers, exchange);
}

/// Equal shard by shard, to what SimGrid promises.
inline void check_same(const ServerExchangeTiming& one, const ServerExchangeTiming& other) {
  REQUIRE(one.pulled_s.size() == other.pulled_s.size());
  REQUIRE(one.summed_s.size() == one.pulled_s.size());
  REQUIRE(other.summed_s.size() == one.pulled_s.size());
  for (std::size_t i = 0; i < one.pulled_s.size(); ++i) {
    INFO("shard " << i);
    CHECK(one.summed_s[i] == Approx(other.summed_s[i]).epsilon(promised));
    CHECK(one.pulled_s[i] == Approx(other.pulled_s[i]).epsilon(promised));
  }
  CHECK(one.end_s == Approx(other.end_s).epsilon(promised));
  CHECK(one.busiest_server == other.busiest_server);
  CHECK(one.busiest_server_s == other.busiest_server_s);
}

} // namespace ddlsim
