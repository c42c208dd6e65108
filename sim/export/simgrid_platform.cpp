#include "sim/export/simgrid_platform.hpp"

#include "sim/base/error.hpp"
#include "sim/network/machine.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// What is written: the machine with one rank a node, because hosts are nodes.
struct Platform {
  Machine machine;
  int nodes = 1; ///< those for servers alone too
  int gpus_per_node = 1;
  double gpu_flop_per_s = 0;
};

Platform platform_of(const StepSetup& setup, const Parameters& sample) {
  constexpr double passes = 3; // forward, and backward of twice its work
  const int workers = (setup.gpus + setup.gpus_per_node - 1) / setup.gpus_per_node;
  const double step_flop = passes * setup.model.forward_flop_per_sample() * setup.batch_per_gpu;
  return {build_machine(setup.cluster, setup.transport, sample, workers, 1),
          workers + dedicated_server_hosts(setup, sample), setup.gpus_per_node,
          step_flop / (setup.one_gpu_s * sample.compute_factor)};
}

std::string settings() {
  std::string text = "  <config>\n";
  for (const std::string_view setting : simulated_time_settings()) {
    const auto colon = setting.find(':');
    text += fmt::format("    <prop id=\"{}\" value=\"{}\"/>\n", setting.substr(0, colon), setting.substr(colon + 1));
  }
  return text + "  </config>\n";
}

/// Nodes `first` to `last` on one switch without limits of its own.
std::string nodes_on_a_switch(const Platform& platform, const std::string& name, int first, int last) {
  const Machine& machine = platform.machine;
  const double nic_Bps = machine.nic_Bps > 0 ? machine.nic_Bps : machine.intra_Bps; // one node alone may have none
  return fmt::format("    <cluster id=\"{}\" prefix=\"node-\" radical=\"{}-{}\" suffix=\"\" router_id=\"{}-switch\" "
                     "core=\"{}\" speed=\"{:.9g}f\"\n"
                     "             bw=\"{:.9g}Bps\" lat=\"{:.9g}s\" sharing_policy=\"SPLITDUPLEX\" "
                     "loopback_bw=\"{:.9g}Bps\" loopback_lat=\"{:.9g}s\"/>\n",
                     name, first, last, name, platform.gpus_per_node, platform.gpu_flop_per_s, nic_Bps,
                     machine.net_latency_s / 2, machine.intra_Bps, machine.intra_latency_s);
}

/// The way between two leaves, and back. SimGrid 3.32 finds no way over a third zone, so that each pair has its own.
std::string way_between(int leaf, int other) {
  return fmt::format("    <zoneRoute src=\"leaf-{0}\" dst=\"leaf-{1}\" gw_src=\"leaf-{0}-switch\" "
                     "gw_dst=\"leaf-{1}-switch\"><link_ctn id=\"leaf-{0}-uplink\" direction=\"UP\"/>"
                     "<link_ctn id=\"leaf-{1}-uplink\" direction=\"DOWN\"/></zoneRoute>\n",
                     leaf, other);
}

/// Leaf switches under one without limits.
std::string leaves(const Platform& platform) {
  const int of_leaf = platform.machine.nodes_per_leaf;
  std::string zones;
  std::string links;
  std::string ways;
  for (int leaf = 0; leaf * of_leaf < platform.nodes; ++leaf) {
    const int last = std::min((leaf + 1) * of_leaf, platform.nodes) - 1;
    zones += nodes_on_a_switch(platform, fmt::format("leaf-{}", leaf), leaf * of_leaf, last);
    links += fmt::format("    <link id=\"leaf-{}-uplink\" bandwidth=\"{:.9g}Bps\" latency=\"0s\" "
                         "sharing_policy=\"SPLITDUPLEX\"/>\n",
                         leaf, platform.machine.uplink_Bps);
    for (int other = 0; other < leaf; ++other) ways += way_between(other, leaf);
  }
  return zones + links + ways;
}

std::string about(const StepSetup& setup, const Platform& platform) {
  return fmt::format("<!-- Written by ddlsim {}: {} nodes of {}, {}, likeliest parameters.\n"
                     "     A core is a GPU, as fast as it runs {} at {:g} samples. -->\n",
                     version(), platform.nodes, setup.cluster.name, setup.transport.name, setup.model.name,
                     setup.batch_per_gpu);
}

} // namespace

std::string simgrid_platform(const StepSetup& setup, const Parameters& sample) {
  const auto& fabric = setup.cluster.fabric;
  if (needs_links(fabric, {}))
    throw UserError(setup.cluster.name, "/fabric",
                    fmt::format("a {}{} is not exported; stars and fat-trees of one level are", to_text(fabric.kind),
                                fabric.upper_levels.empty() ? "" : " of several levels"));
  const Platform platform = platform_of(setup, sample);
  const bool one_switch = platform.machine.nodes_per_leaf == 0;
  return "<?xml version=\"1.0\"?>\n<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n" +
         about(setup, platform) + "<platform version=\"4.1\">\n" + settings() +
         fmt::format("  <zone id=\"{}\" routing=\"Full\">\n", setup.cluster.name) +
         (one_switch ? nodes_on_a_switch(platform, "switch", 0, platform.nodes - 1) : leaves(platform)) +
         "  </zone>\n</platform>\n";
}

} // namespace ddlsim
