#include "sim/parameter_server/fair_share.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace ddlsim;

namespace {

/// Shards of one to three sizes, so that some servers are alike and some have none.
struct RandomExchange {
  Machine machine;
  ServerMachine servers;
  ServerExchange exchange;
};

RandomExchange draw(std::mt19937& random) {
  const auto upto = [&](int most) { return std::uniform_int_distribution<int>(1, most)(random); };
  const auto rate_Bps = [&] { return std::uniform_real_distribution<double>(1e8, 2e9)(random); };
  RandomExchange one;
  one.machine.ranks = upto(12);
  one.machine.nodes_per_leaf = upto(2) == 1 ? 0 : upto(5);
  one.machine.intra_Bps = rate_Bps();
  one.machine.nic_Bps = rate_Bps();
  one.machine.uplink_Bps = rate_Bps();
  one.servers.servers = upto(20);
  one.servers.dedicated = upto(2) == 1;
  if (upto(3) == 1) one.servers.process_Bps = 3 * rate_Bps();
  if (upto(3) == 1) one.servers.connection_Bps = rate_Bps() / 10;
  if (upto(2) == 1) one.machine.nic_duplex = std::uniform_real_distribution<double>(0.3, 1.1)(random);
  one.exchange.messages_per_node = upto(3);
  const int sizes = upto(3);
  for (int shard = 0; shard < 2 * one.servers.servers; ++shard) {
    one.exchange.shards.push_back({shard, upto(one.servers.servers) - 1, 1e6 * upto(sizes)});
    one.exchange.ready_s.push_back(0);
  }
  return one;
}

/// Changes the same lanes of both.
void change_lanes(std::mt19937& random, std::size_t classes, FairShare& one, FairShare& other) {
  for (std::size_t server = 0; server < classes; ++server) {
    for (const bool push : {true, false}) {
      if (random() % 3 == 0) continue;
      const bool busy = random() % 2 == 0;
      one.set_busy(server, push, busy);
      other.set_busy(server, push, busy);
    }
  }
}

} // namespace

TEST_CASE("fair share: by roles of nodes as link by link, whichever lanes are busy") {
  std::mt19937 random(1);
  for (int draws = 0; draws < 300; ++draws) {
    const auto [machine, servers, exchange] = draw(random);
    const auto classes = find_server_classes(machine, servers, exchange);
    FairShare roles(machine, servers, exchange, classes);
    FairShare links(machine, servers, exchange, classes, FairShare::Solver::link_by_link);
    std::vector<std::pair<double, double>> rates_Bps;
    for (int moment = 0; moment < 8; ++moment) {
      change_lanes(random, classes.servers.size(), roles, links);
      REQUIRE(roles.settle() == links.settle());
      for (std::size_t server = 0; server < classes.servers.size(); ++server)
        for (const bool push : {true, false})
          if (roles.is_busy(server, push))
            rates_Bps.emplace_back(roles.rate_Bps(server, push), links.rate_Bps(server, push));
    }
    for (const auto& [by_roles, by_links] : rates_Bps) REQUIRE(by_roles == Approx(by_links).epsilon(1e-12)); // rounding
  }
}

TEST_CASE("fair share: a busy server's NIC is its copies', and what others leave of a worker's is theirs") {
  Machine machine;
  machine.ranks = 4;
  machine.nic_Bps = 12;
  machine.intra_Bps = 100;
  const ServerMachine servers{4, false};
  const ServerExchange exchange{{{0, 0, 1}, {1, 1, 2}, {2, 2, 3}, {3, 3, 4}}, {0, 0, 0, 0}, {}};
  FairShare share(machine, servers, exchange, find_server_classes(machine, servers, exchange));
  share.set_busy(0, true, true);
  share.settle();
  CHECK(share.rate_Bps(0, true) == Approx(4)); // three copies come in
  share.set_busy(1, false, true);              // out of node 1 go its pulls and a push to node 0: four copies
  share.settle();
  CHECK(share.rate_Bps(1, false) == Approx(3));
  CHECK(share.rate_Bps(0, true) == Approx(3));
}

TEST_CASE("fair share: a NIC busy one way has its whole rate, both ways together twice what duplex leaves") {
  Machine machine;
  machine.ranks = 3;
  machine.nic_Bps = 12;
  const ServerMachine servers{1, true};
  const ServerExchange exchange{{{0, 0, 1}}, {0}, {}};
  for (const double duplex : {0.3, 0.5, 0.75, 1.0, 1.2}) {
    machine.nic_duplex = duplex;
    INFO("duplex " << duplex);
    for (const auto solver : {FairShare::Solver::by_roles, FairShare::Solver::link_by_link}) {
      FairShare share(machine, servers, exchange, find_server_classes(machine, servers, exchange), solver);
      share.set_busy(0, true, true);
      share.settle();
      CHECK(share.rate_Bps(0, true) == Approx(std::min(12.0, 2 * duplex * 12) / 3));
      share.set_busy(0, false, true);
      share.settle();
      CHECK(share.rate_Bps(0, true) == Approx(std::min(1.0, duplex) * 12 / 3));
      CHECK(share.rate_Bps(0, false) == share.rate_Bps(0, true));
      share.set_busy(0, true, false);
      share.settle();
      CHECK(share.rate_Bps(0, false) == Approx(std::min(12.0, 2 * duplex * 12) / 3));
    }
  }
}
