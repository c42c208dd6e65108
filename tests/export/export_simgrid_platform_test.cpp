#include "sim/base/child_process.hpp"
#include "sim/export/export.hpp"
#include "tests/base/temporary_folder.hpp"
#include "tests/calibrate/shipped_data.hpp"
#include "tests/export/shipped_points.hpp"
#include "tests/network/fabrics.hpp"
#include "tests/predict/small_cluster.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <simgrid/s4u.hpp>

#include <sstream>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Figures are written with nine digits.
constexpr double digits = 1e-8;

/// What SimGrid itself makes of a file.
struct LoadedPlatform {
  double hosts = 0;
  double cores = 0;
  double flop_per_s = 0;
  double route_Bps = 0; ///< the narrowest link between the two hosts
  double route_latency_s = 0;
  double links = 0;      ///< on that route
  double transfer_s = 0; ///< of 1 GB over it, alone
};

constexpr std::uint64_t transfer_bytes = 1'000'000'000;

/// Sends a message over the route. Ends when it has come.
double time_transfer(s4u::Host* from, s4u::Host* to) {
  auto* mailbox = s4u::Mailbox::by_name("transfer");
  double end_s = 0;
  s4u::Actor::create("sender", from, [mailbox] {
    static int content = 0;
    mailbox->put(&content, transfer_bytes);
  });
  s4u::Actor::create("receiver", to, [mailbox, &end_s] {
    mailbox->get<int>();
    end_s = s4u::Engine::get_clock();
  });
  s4u::Engine::get_instance()->run();
  return end_s;
}

std::string load_and_measure(const std::string& file, const std::string& from, const std::string& to) {
  const s4u::Engine engine("ddlsim");
#if defined(__SANITIZE_ADDRESS__)
  s4u::Engine::set_config("contexts/factory:thread"); // what the sanitizer understands
#endif
  engine.load_platform(file);
  const auto* source = engine.host_by_name(from);
  auto* target = engine.host_by_name(to);
  std::vector<s4u::Link*> links;
  double latency_s = 0;
  source->route_to(target, links, &latency_s);
  double least_Bps = links.at(0)->get_bandwidth();
  for (const auto* link : links) least_Bps = std::min(least_Bps, link->get_bandwidth());
  std::ostringstream out;
  out.precision(17);
  out << engine.get_host_count() << ' ' << source->get_core_count() << ' ' << source->get_speed() << ' ' << least_Bps
      << ' ' << latency_s << ' ' << links.size() << ' ' << time_transfer(engine.host_by_name(from), target);
  return out.str();
}

/// In a child, because SimGrid keeps global state.
LoadedPlatform load(const std::string& xml, const std::string& from, const std::string& to) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("platform.xml", xml);
  const auto result = run_in_workers({0}, 1, [&](int) { return load_and_measure(file.string(), from, to); }).front();
  INFO(result.error);
  REQUIRE(result.error.empty());
  LoadedPlatform loaded;
  std::istringstream in(result.bytes);
  in >> loaded.hosts >> loaded.cores >> loaded.flop_per_s >> loaded.route_Bps >> loaded.route_latency_s >>
      loaded.links >> loaded.transfer_s;
  return loaded;
}

} // namespace

TEST_CASE("SimGrid loads a switch with its nodes, and the route between two is two NICs", "[export]") {
  const SmallCluster small; // NICs of 1 GB/s, 1 ms
  const auto setup = small.setup(StrategyName::ring, 4);
  const auto loaded = load(simgrid_platform(setup, small.sample), "node-0", "node-3");
  CHECK(loaded.hosts == 4);
  CHECK(loaded.cores == 1);
  CHECK(loaded.links == 2);
  CHECK(loaded.route_Bps == Approx(1e9).epsilon(digits));
  CHECK(loaded.route_latency_s == Approx(1e-3).epsilon(digits));
  CHECK(loaded.flop_per_s == Approx(3 * 1e9 * 10 / 0.3).epsilon(digits)); // 1 GFLOP forward, 10 samples in 0.3 s
  CHECK(loaded.transfer_s == Approx(1e-3 + 1.0).epsilon(digits));         // latency + size / rate, as ddlsim has it
}

TEST_CASE("a path inside a node is its loopback", "[export]") {
  const SmallCluster small; // 1 GB/s inside
  const auto loaded = load(simgrid_platform(small.setup(StrategyName::ring, 2), small.sample), "node-1", "node-1");
  CHECK(loaded.links == 1);
  CHECK(loaded.route_Bps == Approx(1e9).epsilon(digits));
}

namespace {

/// Fabrics with links that are followed one by one, each with room for twelve nodes.
std::vector<Fabric> followed_fabrics() {
  return {torus({4, 3}, 0.4e9), dragonfly(2, 3, 2, 0.4e9, 2), fat_tree(2, 2, {{6, 1.5}}),
          with_static_routes(fat_tree(4, 2)), with_static_routes(fat_tree(2, 1, {{6, 1.5}}))};
}

} // namespace

TEST_CASE("on every fabric a message has the links, rate and time that it has in a run of every message", "[export]") {
  for (const auto& fabric : followed_fabrics()) {
    SmallCluster small; // NICs of 1 GB/s, 1 ms
    small.cluster.fabric = fabric;
    small.cluster.available_nodes = small.cluster.growth_max_nodes = 12;
    const auto setup = small.setup(StrategyName::ring, 12);
    const auto xml = simgrid_platform(setup, small.sample);
    for (const auto& [from, to] : {std::pair{0, 1}, {0, 7}, {5, 11}, {11, 2}}) {
      INFO(describe(fabric) << ", " << from << " to " << to);
      const PlacedFabric placed{fabric, 1e9, 0, {}, {}};
      auto route = links_between(fabric, from, to);
      double narrowest_Bps = 1e9;
      for (const auto link : route) narrowest_Bps = std::min(narrowest_Bps, link_line_Bps(placed, link));
      const std::size_t ports = fabric.kind == FabricKind::dragonfly ? 2 : 0; // counted with the NICs
      const auto loaded = load(xml, fmt::format("node-{}", from), fmt::format("node-{}", to));
      CHECK(loaded.hosts == 12);
      const bool is_inside =
          route.empty() && fabric.routing == Routing::fixed; // one switch, a link that holds nothing up
      CHECK(loaded.links == static_cast<double>(2 + route.size() - ports + (is_inside ? 1 : 0)));
      CHECK(loaded.route_Bps == Approx(narrowest_Bps).epsilon(digits));
      CHECK(loaded.transfer_s == Approx(loaded.route_latency_s + 1e9 / narrowest_Bps).epsilon(digits));
    }
  }
}

TEST_CASE("scattered nodes are exported where they stand", "[export]") {
  SmallCluster small;
  small.cluster.fabric = fat_tree(4, 8);
  small.cluster.available_nodes = small.cluster.growth_max_nodes = 8;
  auto setup = small.setup(StrategyName::ring, 4); // two on each leaf: 0 and 2, 1 and 3
  setup.fabrics =
      std::make_shared<PlacedFabrics>(small.cluster, setup.transport, CoLocation{{NodeOrder::scattered, {}}, {}, 0});
  const auto xml = simgrid_platform(setup, small.sample);
  CHECK(load(xml, "node-0", "node-2").links == 2);
  const auto far = load(xml, "node-0", "node-1");
  CHECK(far.links == 4);
  CHECK(far.route_Bps == Approx(0.5e9).epsilon(digits));
}

TEST_CASE("ways between too many switches are refused, and not written by the hour", "[export]") {
  SmallCluster small;
  small.cluster.fabric = torus({32, 32}, 1e9);
  CHECK_THROWS_WITH(
      simgrid_platform(small.setup(StrategyName::ring, 600), small.sample),
      "test: /fabric: 600 switches with nodes found, and a route between any two is written; 512 are the most, "
      "ask for fewer GPUs");
}

TEST_CASE("leaves of a fat-tree are reached over their uplinks", "[export]") {
  SmallCluster small;
  small.cluster.fabric = {FabricKind::fat_tree, 4, 8, 0}; // four NICs of 1 GB/s, an eighth of them upwards
  const auto xml = simgrid_platform(small.setup(StrategyName::ring, 10), small.sample);
  const auto near = load(xml, "node-4", "node-7");
  CHECK(near.hosts == 10);
  CHECK(near.links == 2);
  CHECK(near.route_Bps == Approx(1e9).epsilon(digits));
  const auto far = load(xml, "node-0", "node-9");
  CHECK(far.links == 4); // NIC, up, down, NIC
  CHECK(far.route_Bps == Approx(0.5e9).epsilon(digits));
  CHECK(far.route_latency_s == Approx(1e-3).epsilon(digits));
  CHECK(far.transfer_s == Approx(1e-3 + 2.0).epsilon(digits));
}

TEST_CASE("servers on hosts of their own are nodes behind the workers'", "[export]") {
  const SmallCluster small;
  auto setup = small.setup(StrategyName::ps, 4);
  setup.strategy.servers = {ServerCount::Rule::count, 2};
  setup.strategy.placement = Placement::dedicated;
  CHECK(load(simgrid_platform(setup, small.sample), "node-0", "node-5").hosts == 6);
}

TEST_CASE("every shipped scenario's platform is one that SimGrid loads, at the rates that are simulated", "[export]") {
  for (const char* name : {"iris-resnet50", "k80-inception-ps", "pascal-servers-or-horovod", "pascal-vgg16"}) {
    const auto scenario = shipped_scenario(name);
    const KnownFiles files(scenario, ddlsim_test::shipped_data());
    const auto curve = make_curve(scenario, scenario.strategies.front(), files.model(), files.knowledge());
    const auto setup = at_scale(curve, 32);
    INFO(name);
    const auto machine = build_machine(setup.cluster, setup.transport, curve.median, 32 / setup.gpus_per_node, 1);
    const auto loaded = load(simgrid_platform(setup, curve.median), "node-0", "node-1");
    CHECK(loaded.cores == setup.gpus_per_node);
    CHECK(loaded.hosts == machine.nodes() + dedicated_server_hosts(setup, curve.median));
    CHECK(loaded.route_Bps == Approx(machine.nic_Bps).epsilon(digits));
    CHECK(loaded.route_latency_s == Approx(machine.net_latency_s).epsilon(digits));
  }
}

} // namespace ddlsim
