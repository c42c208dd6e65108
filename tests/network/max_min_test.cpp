#include "sim/network/max_min.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using ddlsim::MaxMin;

namespace {

/// Sums and quotients of a handful of doubles.
constexpr double rounding = 1e-12;

struct Flow {
  std::vector<MaxMin::Crossing> crossings;
  bool active = true;
};

struct Network {
  std::vector<double> links_Bps;
  std::vector<Flow> flows;
  double ceiling_Bps = 0;
};

MaxMin settled(const Network& network) {
  MaxMin rates(network.ceiling_Bps);
  for (const double link_Bps : network.links_Bps) {
    rates.add_link(link_Bps);
  }
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    rates.add_flow(network.flows[i].crossings);
    rates.set_active(i, network.flows[i].active);
  }
  rates.settle();
  return rates;
}

Network random_network(std::mt19937_64& random) {
  Network network;
  const std::size_t links = 1 + random() % 5;
  for (std::size_t link = 0; link < links; ++link) {
    network.links_Bps.push_back(static_cast<double>(1 + random() % 10));
  }
  const std::size_t flows = 1 + random() % 8;
  for (std::size_t i = 0; i < flows; ++i) {
    Flow flow;
    for (std::size_t link = 0; link < links; ++link) {
      if (random() % 2 == 0) flow.crossings.push_back({link, static_cast<double>(1 + random() % 4)});
    }
    if (flow.crossings.empty()) flow.crossings.push_back({0, 1.0});
    flow.active = random() % 5 != 0;
    network.flows.push_back(flow);
  }
  if (random() % 3 == 0) network.ceiling_Bps = 0.7;
  return network;
}

/// What crosses a link together, bytes a second.
double load_Bps(const Network& network, const MaxMin& rates, std::size_t link) {
  double sum_Bps = 0;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    if (!network.flows[i].active) continue;
    for (const auto& crossing : network.flows[i].crossings) {
      if (crossing.link == link) sum_Bps += crossing.flows * rates.rate_Bps(i);
    }
  }
  return sum_Bps;
}

double fastest_Bps(const Network& network, const MaxMin& rates, std::size_t link) {
  double fastest = 0;
  for (std::size_t i = 0; i < network.flows.size(); ++i) {
    const auto on_link = [&](const MaxMin::Crossing& crossing) { return crossing.link == link; };
    const auto& crossings = network.flows[i].crossings;
    if (network.flows[i].active && std::any_of(crossings.begin(), crossings.end(), on_link)) {
      fastest = std::max(fastest, rates.rate_Bps(i));
    }
  }
  return fastest;
}

/// A class is on each of `links` links as often, but on one of them not at all or more often, and on one further link.
struct Alike {
  std::size_t links = 2;
  std::vector<double> rates_Bps;
  std::vector<std::vector<double>> flows; ///< of each class, on each link
  std::vector<double> common;             ///< of each class, on all links of the set but one
};

Alike random_alike(std::mt19937_64& random) {
  Alike alike;
  alike.links = 2 + random() % 6;
  for (std::size_t link = 0; link <= alike.links; ++link)
    alike.rates_Bps.push_back(static_cast<double>(1 + random() % 10));
  const std::size_t classes = 1 + random() % 8;
  for (std::size_t c = 0; c < classes; ++c) {
    alike.common.push_back(static_cast<double>(1 + random() % 4));
    std::vector<double> flows(alike.links + 1, alike.common.back());
    flows.back() = static_cast<double>(random() % 3);
    const std::size_t own = random() % alike.links;
    flows[own] = random() % 2 == 0 ? 0 : flows[own] + 2;
    alike.flows.push_back(flows);
  }
  return alike;
}

} // namespace

// Bertsekas and Gallager, Data Networks, section 6.5: three flows on one link, one of which also crosses a second.
TEST_CASE("max-min: what one link holds back leaves more of the other") {
  const auto rates = settled({{3, 12}, {{{{0, 1}, {1, 1}}}, {{{0, 1}}}, {{{0, 1}}}, {{{1, 1}}}}});
  CHECK(rates.rate_Bps(0) == Approx(1));
  CHECK(rates.rate_Bps(1) == Approx(1));
  CHECK(rates.rate_Bps(2) == Approx(1));
  CHECK(rates.rate_Bps(3) == Approx(11));
}

TEST_CASE("max-min: a class of many takes a share for each of them") {
  const auto rates = settled({{1000}, {{{{0, 999}}}, {{{0, 1}}}}});
  CHECK(rates.rate_Bps(0) == Approx(1));
  CHECK(rates.rate_Bps(1) == Approx(1));
}

TEST_CASE("max-min: a ceiling holds also what crosses no link") {
  const auto rates = settled({{10}, {{{{0, 1}}}, {}}, 3});
  CHECK(rates.rate_Bps(0) == 3);
  CHECK(rates.rate_Bps(1) == 3);
}

TEST_CASE("max-min: no link is over its rate, and each flow is among the fastest of a full link or at the ceiling") {
  std::mt19937_64 random(11);
  for (int round = 0; round < 2000; ++round) {
    const Network network = random_network(random);
    const MaxMin rates = settled(network);
    INFO("round " << round);
    for (std::size_t link = 0; link < network.links_Bps.size(); ++link) {
      REQUIRE(load_Bps(network, rates, link) <= network.links_Bps[link] * (1 + rounding));
    }
    for (std::size_t i = 0; i < network.flows.size(); ++i) {
      if (!network.flows[i].active) continue;
      const auto holds_back = [&](const MaxMin::Crossing& crossing) {
        return load_Bps(network, rates, crossing.link) >= network.links_Bps[crossing.link] * (1 - rounding) &&
               fastest_Bps(network, rates, crossing.link) <= rates.rate_Bps(i) * (1 + rounding);
      };
      const auto& crossings = network.flows[i].crossings;
      const bool at_ceiling = network.ceiling_Bps > 0 && rates.rate_Bps(i) >= network.ceiling_Bps;
      REQUIRE((at_ceiling || std::any_of(crossings.begin(), crossings.end(), holds_back)));
    }
  }
}

TEST_CASE("max-min: flows that came and went leave nothing behind") {
  std::mt19937_64 random(12);
  for (int round = 0; round < 200; ++round) {
    Network network = random_network(random);
    MaxMin rates = settled(network);
    for (int change = 0; change < 20; ++change) {
      const std::size_t i = random() % network.flows.size();
      network.flows[i].active = !network.flows[i].active;
      rates.set_active(i, network.flows[i].active);
      rates.settle();
    }
    const MaxMin fresh = settled(network);
    for (std::size_t i = 0; i < network.flows.size(); ++i) {
      REQUIRE(rates.is_active(i) == network.flows[i].active);
      if (network.flows[i].active) REQUIRE(rates.rate_Bps(i) == Approx(fresh.rate_Bps(i)).epsilon(rounding));
    }
  }
}

TEST_CASE("a flow on a set of links has the rate that it has on each of them", "[max_min][property]") {
  std::mt19937_64 random(5);
  for (int trial = 0; trial < 500; ++trial) {
    const Alike alike = random_alike(random);
    MaxMin one_by_one(0);
    MaxMin as_set(0);
    const std::size_t set = as_set.add_link_set();
    for (std::size_t link = 0; link < alike.links; ++link) {
      one_by_one.add_link(alike.rates_Bps[link]);
      as_set.add_link(alike.rates_Bps[link], set);
    }
    one_by_one.add_link(alike.rates_Bps.back());
    as_set.add_link(alike.rates_Bps.back());
    for (std::size_t c = 0; c < alike.flows.size(); ++c) {
      const auto& flows = alike.flows[c];
      std::vector<MaxMin::Crossing> each;
      std::vector<MaxMin::Crossing> apart;
      for (std::size_t link = 0; link <= alike.links; ++link) {
        const double on_set = link < alike.links ? alike.common[c] : 0;
        if (flows[link] > 0) each.push_back({link, flows[link]});
        if (flows[link] != on_set) apart.push_back({link, flows[link] - on_set});
      }
      one_by_one.add_flow(each);
      as_set.add_flow(apart, set, alike.common[c]);
    }
    for (int change = 0; change < 5; ++change) {
      for (std::size_t flow = 0; flow < alike.flows.size(); ++flow) {
        const bool active = random() % 3 != 0;
        one_by_one.set_active(flow, active);
        as_set.set_active(flow, active);
      }
      one_by_one.settle();
      as_set.settle();
      INFO("trial " << trial);
      for (const std::size_t flow : as_set.active())
        CHECK(as_set.rate_Bps(flow) == Approx(one_by_one.rate_Bps(flow)).epsilon(rounding));
    }
  }
}
