#include "sim/base/error.hpp"
#include "sim/export/export.hpp"
#include "sim/network/machine.hpp"
#include "sim/network/nic_rate.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ddlsim {
namespace {

/// The platform to write: the machine with one rank a node, because a node is one host.
struct Platform {
  Machine machine;
  int nodes = 1; ///< number of nodes, those for servers alone included
  int gpus_per_node = 1;
  double gpu_flop_per_s = 0;
};

int worker_nodes(const StepSetup& setup) {
  return (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
}

/// Returns the fabric; null where a leaf's uplinks are the only links between nodes.
std::shared_ptr<const PlacedFabric> placed_fabric_of(const StepSetup& setup) {
  if (setup.transport.nic.empty()) return nullptr;
  auto placed = setup.fabrics ? setup.fabrics->at(worker_nodes(setup))
                              : PlacedFabrics(setup.cluster, setup.transport, {}).at(worker_nodes(setup));
  if (placed && domain_nodes(setup.cluster, setup.transport) > 1)
    throw UserError(
        setup.cluster.name, "/node/intra/domain_nodes",
        "NVLink domains of several nodes are not exported from this fabric; ask over MPI, or on a star or a "
        "fat-tree of one level");
  return placed;
}

Platform platform_of(const StepSetup& setup, const Parameters& sample) {
  constexpr double passes = 3; // forward counts once, and backward twice
  const int workers = worker_nodes(setup);
  const double step_flop = passes * setup.model.forward_flop_per_sample() * setup.batch_per_gpu;
  return {build_machine(setup.cluster, setup.transport, sample, workers, 1, placed_fabric_of(setup)),
          workers + dedicated_server_hosts(setup, sample), setup.gpus_per_node,
          step_flop / (setup.one_gpu_s * compute_factor_of(sample))};
}

std::string settings() {
  std::string text = "  <config>\n";
  for (const std::string_view setting : simulated_time_settings()) {
    const auto colon = setting.find(':');
    text += fmt::format("    <prop id=\"{}\" value=\"{}\"/>\n", setting.substr(0, colon), setting.substr(colon + 1));
  }
  return text + "  </config>\n";
}

/// Writes nodes on one switch that has no limit of its own.
std::string nodes_on_a_switch(const Platform& platform, const std::string& name, const std::string& nodes,
                              double nic_Bps) {
  const Machine& machine = platform.machine;
  return fmt::format("    <cluster id=\"{}\" prefix=\"node-\" radical=\"{}\" suffix=\"\" router_id=\"{}-switch\" "
                     "core=\"{}\" speed=\"{:.9g}f\"\n"
                     "             bw=\"{:.9g}Bps\" lat=\"{:.9g}s\" sharing_policy=\"SPLITDUPLEX\" "
                     "loopback_bw=\"{:.9g}Bps\" loopback_lat=\"{:.9g}s\"/>\n",
                     name, nodes, name, platform.gpus_per_node, platform.gpu_flop_per_s, nic_Bps,
                     machine.net_latency_s / 2, machine.intra_Bps, machine.intra_latency_s);
}

std::string all_nodes_on_a_switch(const Platform& platform, const std::string& name, int first, int last) {
  const Machine& machine = platform.machine;
  const double nic_Bps = machine.nic_Bps > 0 ? machine.nic_Bps : machine.intra_Bps; // a single node may have no NIC
  return nodes_on_a_switch(platform, name, fmt::format("{}-{}", first, last), nic_Bps);
}

/// Writes the route between two leaves, for both directions. SimGrid 3.32 finds no route over a third zone, so each
/// pair has its own.
std::string route_between(int leaf, int other) {
  return fmt::format("    <zoneRoute src=\"leaf-{0}\" dst=\"leaf-{1}\" gw_src=\"leaf-{0}-switch\" "
                     "gw_dst=\"leaf-{1}-switch\"><link_ctn id=\"leaf-{0}-uplink\" direction=\"UP\"/>"
                     "<link_ctn id=\"leaf-{1}-uplink\" direction=\"DOWN\"/></zoneRoute>\n",
                     leaf, other);
}

/// Writes leaf switches below a core whose rate is not limited.
std::string leaves(const Platform& platform) {
  const int of_leaf = platform.machine.nodes_per_leaf;
  std::string zones;
  std::string links;
  std::string routes;
  for (int leaf = 0; leaf * of_leaf < platform.nodes; ++leaf) {
    const int last = std::min((leaf + 1) * of_leaf, platform.nodes) - 1;
    zones += all_nodes_on_a_switch(platform, fmt::format("leaf-{}", leaf), leaf * of_leaf, last);
    links += fmt::format("    <link id=\"leaf-{}-uplink\" bandwidth=\"{:.9g}Bps\" latency=\"0s\" "
                         "sharing_policy=\"SPLITDUPLEX\"/>\n",
                         leaf, platform.machine.uplink_Bps);
    for (int other = 0; other < leaf; ++other) routes += route_between(other, leaf);
  }
  return zones + links + routes;
}

// A fabric whose links are simulated one by one. Zones, links and routes are written out, because SimGrid's own
// elements like <cluster topology="TORUS"> have no NIC between a node and its switch; their limiter counts both
// directions together.

/// Returns the number of consecutive places whose messages all leave, and arrive, over the same links.
int places_of_a_switch(const Fabric& fabric) {
  if (fabric.kind == FabricKind::dragonfly) return fabric.nodes_per_switch;
  const bool is_spread = fabric.kind == FabricKind::fat_tree && fabric.routing == Routing::adaptive;
  return is_spread ? fabric.nodes_per_leaf : 1;
}

/// Returns the job's nodes on each switch.
std::map<int, std::vector<int>> nodes_by_switch(const StepSetup& setup, const Platform& platform) {
  const auto& placed = *platform.machine.fabric;
  if (at(platform.nodes) > placed.places.size())
    throw UserError(
        setup.cluster.name, "/fabric",
        fmt::format("{} nodes and hosts of servers have no place on it; ask for fewer servers", platform.nodes));
  std::map<int, std::vector<int>> switches;
  for (int node = 0; node < platform.nodes; ++node)
    switches[placed.places[at(node)] / places_of_a_switch(placed.fabric)].push_back(node);
  // largest number of switches; it gives a quarter of a million routes and 100 MB
  constexpr std::size_t most_switches = 512;
  if (switches.size() > most_switches)
    throw UserError(
        setup.cluster.name, "/fabric",
        fmt::format("{} switches with nodes found, and a route between any two is written; {} are the most, ask "
                    "for fewer GPUs",
                    switches.size(), most_switches));
  return switches;
}

/// Returns the links between two places. In a dragonfly the first and last link are node ports, which the NICs stand
/// for.
std::vector<std::size_t> links_between_switches(const Fabric& fabric, int from, int to) {
  auto links = links_between(fabric, from, to);
  if (fabric.kind == FabricKind::dragonfly) links = {links.begin() + 1, links.end() - 1};
  return links;
}

double nic_with_port_Bps(const Platform& platform) {
  const auto& placed = *platform.machine.fabric;
  if (placed.fabric.kind != FabricKind::dragonfly) return platform.machine.nic_Bps;
  const auto port = links_between(placed.fabric, 0, 1).front();
  return nic_rate_Bps(platform.machine.nic_Bps, {.ceiling_Bps = link_Bps(platform.machine, placed, port)});
}

std::string link_between_switches(const Platform& platform, std::size_t link) {
  return fmt::format("    <link id=\"link-{}\" bandwidth=\"{:.9g}Bps\" latency=\"0s\"/>\n", link,
                     link_Bps(platform.machine, *platform.machine.fabric, link));
}

/// SimGrid forbids a route without a link; this link delays nothing.
constexpr const char* link_inside_a_switch =
    "    <link id=\"inside-a-switch\" bandwidth=\"1e18Bps\" latency=\"0s\" sharing_policy=\"FATPIPE\"/>\n";

std::string route_element(int from, int to, const std::vector<std::size_t>& links) {
  std::string text = fmt::format("    <zoneRoute src=\"at-{0}\" dst=\"at-{1}\" gw_src=\"at-{0}-switch\" "
                                 "gw_dst=\"at-{1}-switch\" symmetrical=\"NO\">",
                                 from, to);
  for (const auto link : links) text += fmt::format("<link_ctn id=\"link-{}\"/>", link);
  if (links.empty()) text += "<link_ctn id=\"inside-a-switch\"/>";
  return text + "</zoneRoute>\n";
}

std::string switches_and_routes(const StepSetup& setup, const Platform& platform) {
  const auto& placed = *platform.machine.fabric;
  const auto switches = nodes_by_switch(setup, platform);
  std::string zones;
  std::string routes;
  std::set<std::size_t> used;
  for (const auto& [from, nodes] : switches) {
    zones += nodes_on_a_switch(platform, fmt::format("at-{}", from), fmt::format("{}", fmt::join(nodes, ",")),
                               nic_with_port_Bps(platform));
    for (const auto& [to, others] : switches) {
      if (from == to) continue;
      const auto links =
          links_between_switches(placed.fabric, placed.places[at(nodes.front())], placed.places[at(others.front())]);
      used.insert(links.begin(), links.end());
      routes += route_element(from, to, links);
    }
  }
  std::string links = link_inside_a_switch;
  for (const auto link : used) links += link_between_switches(platform, link);
  return zones + links + routes;
}

std::string network(const StepSetup& setup, const Platform& platform) {
  if (platform.machine.fabric) return switches_and_routes(setup, platform);
  if (platform.machine.nodes_per_leaf > 0) return leaves(platform);
  return all_nodes_on_a_switch(platform, "switch", 0, platform.nodes - 1);
}

std::string about(const StepSetup& setup, const Platform& platform) {
  return fmt::format("<!-- Written by ddlsim {}: {} nodes of {}, {}, likeliest parameters.\n"
                     "     A core is a GPU, as fast as it runs {} at {:g} samples. -->\n",
                     version(), platform.nodes, setup.cluster.name, setup.transport.name, setup.model.name,
                     setup.batch_per_gpu);
}

} // namespace

std::string simgrid_platform(const StepSetup& setup, const Parameters& sample) {
  const Platform platform = platform_of(setup, sample);
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         about(setup, platform) + "<platform version=\"4.1\">\n" + settings() +
         fmt::format("  <zone id=\"{}\" routing=\"Full\">\n", setup.cluster.name) + network(setup, platform) +
         "  </zone>\n</platform>\n";
}

} // namespace ddlsim
