#include "sim/parameter_server/async.hpp"
#include "sim/parameter_server/async_draws.hpp"
#include "tests/parameter_server/servers.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <stdexcept>

using ddlsim::async_closed_form;
using ddlsim::AsyncExchange;
using ddlsim::dedicated;
using ddlsim::Machine;
using ddlsim::messages_of_iteration;
using ddlsim::ServerMachine;
using ddlsim::with_fewer_pushes;

namespace {

Machine async_workers(int nodes, double nic_Bps = 1e9) {
  Machine machine;
  machine.ranks = nodes;
  machine.intra_Bps = 1e10;
  machine.nic_Bps = nic_Bps;
  return machine;
}

/// `size_bytes` on each server, ready when compute (1 s) ends.
AsyncExchange equal_shards(int servers, double size_bytes) {
  AsyncExchange async;
  async.compute_s = 1;
  for (int server = 0; server < servers; ++server) {
    async.exchange.shards.push_back({server, server, size_bytes});
    async.exchange.ready_s.push_back(1);
  }
  return async;
}

/// Exact: P(k customers pull, l push) is proportional to D^(k + l) / (n - k - l)! with compute 1 s (Baskett, Chandy,
/// Muntz and Palacios, 1975); throughput is the ratio of the normalising sums of n - 1 and n.
double product_form_iteration_s(int customers, double transfer_s) {
  const auto sum = [&](int n) {
    double total = 0;
    for (int moving = 0; moving <= n; ++moving) {
      total += (moving + 1) * std::pow(transfer_s, moving) / std::tgamma(n - moving + 1);
    }
    return total;
  };
  return customers * sum(customers) / sum(customers - 1);
}

} // namespace

TEST_CASE("asynchronous closed form: one worker adds up its own times, latencies included") {
  Machine machine = async_workers(1);
  machine.net_latency_s = 1e-3;
  const auto timing = async_closed_form(machine, dedicated(1), equal_shards(1, 2e8));
  CHECK(timing.iteration_s == Approx(0.2 + 1 + 0.2 + 2e-3));
  CHECK(timing.updates_per_s == Approx(1 / 1.402));
  CHECK(timing.mean_staleness == 0);
}

TEST_CASE("asynchronous closed form: no contention, every worker is alone") {
  const auto timing = async_closed_form(async_workers(50), dedicated(1), equal_shards(1, 1e3));
  CHECK(timing.updates_per_s == Approx(50 / (1 + 2e-6)).epsilon(1e-4)); // 50 us of traffic a second
}

TEST_CASE("asynchronous closed form: one server is a product-form network") {
  for (const int nodes : {2, 3, 8, 30}) {
    for (const double transfer_s : {0.01, 0.1, 0.5, 3.0}) {
      INFO(nodes << " workers, " << transfer_s << " s");
      const auto timing = async_closed_form(async_workers(nodes), dedicated(1), equal_shards(1, transfer_s * 1e9));
      CHECK(timing.iteration_s == Approx(product_form_iteration_s(nodes, transfer_s)).epsilon(1e-9));
    }
  }
}

TEST_CASE("asynchronous closed form: many workers that seldom push make a queue M/M/1, whose time is D / (1 - load)") {
  constexpr int workers = 512; // the most that are not grouped
  for (const double load : {0.1, 0.3, 0.5, 0.7}) {
    const double transfer_s = load / workers;
    const auto timing = async_closed_form(async_workers(workers), dedicated(1), equal_shards(1, transfer_s * 1e9));
    const double own_load = timing.updates_per_s * transfer_s;
    // Who is in the queue does not come again: so many workers are a Poisson process but for some 1 / workers
    const double few_workers = 1 / (workers * (1 - load) * (1 - load));
    INFO("load " << load);
    CHECK((timing.iteration_s - 1) / 2 == Approx(transfer_s / (1 - own_load)).epsilon(few_workers));
  }
}

TEST_CASE("asynchronous closed form: a saturated server gives its rate over the bytes") {
  ServerMachine servers = dedicated(1);
  CHECK(async_closed_form(async_workers(200), servers, equal_shards(1, 1e8)).updates_per_s == Approx(10).epsilon(0.01));
  servers.process_Bps = 2e8;
  const auto timing = async_closed_form(async_workers(200), servers, equal_shards(1, 1e8));
  CHECK(timing.updates_per_s == Approx(2).epsilon(0.01));
  CHECK(timing.busiest_server_share == Approx(1).epsilon(0.01));
}

TEST_CASE("asynchronous closed form: the busiest server decides") {
  AsyncExchange async = equal_shards(4, 1e7);
  async.exchange.shards[2].size_bytes = 1e8;
  const auto timing = async_closed_form(async_workers(300), dedicated(4), async);
  CHECK(timing.busiest_server == 2);
  CHECK(timing.updates_per_s == Approx(10).epsilon(0.01));
}

TEST_CASE("asynchronous closed form: as many balanced servers as workers contend for nothing") {
  const auto timing = async_closed_form(async_workers(8), dedicated(8), equal_shards(8, 1e8));
  CHECK(timing.iteration_s == Approx(1 + 2 * 0.8)); // a worker's own NIC
}

TEST_CASE("asynchronous closed form: overlapped pushes hide in backward but for the last") {
  AsyncExchange async = equal_shards(1, 1e8);
  async.exchange.shards.push_back({1, 0, 5e7});
  async.exchange.ready_s = {0.5, 1};
  CHECK(async_closed_form(async_workers(1), dedicated(1), async).iteration_s == Approx(0.15 + 1 + 0.05));
}

TEST_CASE("asynchronous closed form: more workers never fewer updates, more bandwidth never slower") {
  for (const int servers : {1, 3}) {
    double last_updates = 0;
    for (const int nodes : {1, 2, 4, 9, 33, 100, 400, 513, 2000, 16384}) {
      const auto timing = async_closed_form(async_workers(nodes), dedicated(servers), equal_shards(servers, 2e7));
      INFO(nodes << " workers");
      CHECK(timing.updates_per_s >= last_updates * (1 - 1e-3)); // grouping is within a thousandth
      CHECK(timing.updates_per_s <= 50 * (1 + 1e-9));
      CHECK(timing.mean_staleness <= nodes - 1);
      last_updates = timing.updates_per_s;
    }
    double last_s = 1e9;
    for (const double nic_Bps : {1e8, 3e8, 1e9, 1e10}) {
      const double now_s =
          async_closed_form(async_workers(20, nic_Bps), dedicated(servers), equal_shards(servers, 2e7)).iteration_s;
      CHECK(now_s <= last_s);
      last_s = now_s;
    }
  }
}

TEST_CASE("asynchronous closed form: a server on each node, and thousands of nodes, take what hundreds take") {
  ServerMachine servers;
  servers.dedicated = false;
  const auto iteration_s = [&](int nodes) {
    servers.servers = nodes;
    return async_closed_form(async_workers(nodes), servers, equal_shards(nodes, 1e9 / nodes)).iteration_s;
  };
  CHECK(iteration_s(2000) == Approx(iteration_s(512)).epsilon(0.01));
  CHECK(iteration_s(16384) == Approx(iteration_s(512)).epsilon(0.01));
}

TEST_CASE("asynchronous servers: fewer pushes carry an eighth of a server's bytes, and the last stays alone") {
  AsyncExchange async;
  async.compute_s = 1;
  constexpr int shards = 80; // on each of two servers; those of server 1 are ready at once
  for (int shard = 0; shard < shards; ++shard) {
    for (const int server : {0, 1}) {
      async.exchange.shards.push_back({2 * shard + server, server, 1e6});
      async.exchange.ready_s.push_back(server == 1 ? 0.9 : 0.01 * shard);
    }
  }
  CHECK(messages_of_iteration(async.exchange) == 1 + shards + 2);
  const AsyncExchange fewer = with_fewer_pushes(async);
  CHECK(messages_of_iteration(fewer.exchange) == 1 + 8 + 1 + 2); // 7 of 10 shards, one of 9, the last; a pull each
  for (std::size_t i = 0; i < async.exchange.shards.size(); ++i) {
    CHECK(fewer.exchange.shards[i].size_bytes == async.exchange.shards[i].size_bytes);
    CHECK(fewer.exchange.ready_s[i] >= async.exchange.ready_s[i]);
    CHECK(fewer.exchange.ready_s[i] <= async.exchange.ready_s[i] + 0.09 + 1e-12);
  }
  CHECK(fewer.exchange.ready_s.back() == 0.9);
  CHECK(fewer.exchange.ready_s[2UL * (shards - 1)] == async.exchange.ready_s[2UL * (shards - 1)]);
  CHECK(fewer.exchange.ready_s[2UL * (shards - 2)] == async.exchange.ready_s[2UL * (shards - 2)]); // ends with its last
  CHECK(fewer.exchange.ready_s[0] == Approx(0.09));
}

TEST_CASE("asynchronous draws: their mean and spread, and never backwards") {
  ddlsim::ComputeDraws draws(7, 0, 0, 0.1, 3);
  for (int i = 0; i < ddlsim::stirring_iterations; ++i) {
    const double stirring = draws.next();
    CHECK(stirring > 0);
    CHECK(stirring < 6);
  }
  constexpr int count = 20000;
  double sum = 0;
  double squares = 0;
  for (int i = 0; i < count; ++i) {
    const double drawn = draws.next();
    sum += drawn;
    squares += (drawn - 1) * (drawn - 1);
  }
  CHECK(sum / count == Approx(1).margin(4 * 0.1 / std::sqrt(count))); // four standard errors
  CHECK(std::sqrt(squares / count) == Approx(0.1).epsilon(4 / std::sqrt(2.0 * count)));
  ddlsim::ComputeDraws wild(7, 0, 0, 5, 1);
  for (int i = 0; i < 100; ++i) {
    CHECK(wild.next() > 0);
  }
}

TEST_CASE("asynchronous servers: nothing to exchange, and what is refused") {
  AsyncExchange async;
  async.compute_s = 0.5;
  CHECK(async_closed_form(async_workers(4), dedicated(1), async).updates_per_s == Approx(8));
  async.compute_spread = -1;
  CHECK_THROWS_AS(require_usable(async_workers(4), dedicated(1), async), std::invalid_argument);
}
