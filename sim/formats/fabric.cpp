#include "sim/formats/fabric.hpp"

#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr long most_nodes_of_fabric = 10'000'000;
constexpr long most_links = 1024;
constexpr double most_blocking = 1000;
constexpr std::size_t most_dimensions = 16; ///< a torus of two nodes along each has 65,536

std::vector<std::string> fabric_keys(FabricKind kind) {
  switch (kind) {
  case FabricKind::star:
    return {"kind", "hop_latency", "sharp"};
  case FabricKind::fat_tree:
  case FabricKind::rails:
    return {"kind", "hop_latency", "nodes_per_leaf", "blocking", "upper_levels", "routing", "sharp"};
  case FabricKind::torus:
    return {"kind", "hop_latency", "dimensions", "link_bandwidth"};
  case FabricKind::dragonfly:
    return {"kind",          "hop_latency", "groups", "switches_per_group", "nodes_per_switch", "links_between_groups",
            "link_bandwidth"};
  }
  return {};
}

void read_upper_levels(const JsonNode& node, Fabric& fabric) {
  static constexpr std::string_view known[]{"nodes", "blocking"};
  if (!node.has("upper_levels")) return;
  int below = fabric.nodes_per_leaf;
  for (const auto& level : node.list("upper_levels")) {
    if (!level.is_object()) continue;
    level.allow_only(known);
    const auto before = node.mistakes_so_far();
    const int nodes = static_cast<int>(level.integer("nodes", 1, most_nodes_of_fabric));
    fabric.upper_levels.push_back({nodes, level.number("blocking", 1, most_blocking)});
    if (node.mistakes_so_far() == before && below > 0 && (nodes <= below || nodes % below != 0))
      level.mistake_at("nodes", fmt::format("{} nodes are not a whole number, two or more, of the groups below, of {} "
                                            "nodes each; give {}, or another multiple",
                                            nodes, below, 2L * below));
    below = nodes;
  }
}

bool is_whole_number(double number) {
  constexpr double digits = 1e-9;
  return number > 0.5 && std::abs(number - std::round(number)) < digits * number;
}

/// With static routing a message takes one cable of a group, and one of a switch's.
void check_cables(const JsonNode& node, const Fabric& fabric) {
  const auto levels = levels_of(fabric);
  double below = 1;
  std::size_t level = 0;
  for (const double cables : uplink_cables(fabric)) {
    if (!is_whole_number(cables) || !is_whole_number(cables / below)) {
      node.mistake_at("routing",
                      fmt::format("static found, which takes one cable for each message, and {} nodes would send "
                                  "{:.9g} cables up, {:.9g} a switch; give blockings that leave whole numbers",
                                  levels[level].nodes, cables, cables / below));
      return;
    }
    below = cables;
    ++level;
  }
}

void read_tree(const JsonNode& node, Fabric& fabric) {
  const auto before = node.mistakes_so_far();
  fabric.nodes_per_leaf = static_cast<int>(node.integer("nodes_per_leaf", 1, most_nodes_of_fabric));
  fabric.blocking = node.number("blocking", 1, most_blocking);
  read_upper_levels(node, fabric);
  if (node.has("routing")) fabric.routing = one_of<Routing>(node, "routing");
  if (node.mistakes_so_far() == before && fabric.routing == Routing::fixed) check_cables(node, fabric);
}

void refuse_too_many_nodes(const JsonNode& node, const std::string& key, double nodes) {
  if (nodes > most_nodes_of_fabric)
    node.mistake_at(key, fmt::format("{:.9g} nodes in all; {} are the most", nodes, most_nodes_of_fabric));
}

void read_torus(const JsonNode& node, Fabric& fabric) {
  double nodes = 1;
  const auto lengths = node.list("dimensions");
  if (lengths.size() > most_dimensions)
    return node.mistake_at("dimensions",
                           fmt::format("{} dimensions found; {} are the most", lengths.size(), most_dimensions));
  for (const auto& length : lengths) {
    const auto& value = length.value();
    const bool is_good =
        value.is_number_integer() && value.get<double>() >= 1 && value.get<double>() <= most_nodes_of_fabric;
    if (!is_good) length.mistake(fmt::format("{} is no number of nodes; give 1 or more", describe(value)));
    fabric.dimensions.push_back(is_good ? value.get<int>() : 1);
    nodes *= fabric.dimensions.back();
  }
  if (node.has("dimensions") && node.value()["dimensions"].is_array() && fabric.dimensions.empty())
    node.mistake_at("dimensions", "none found; give the nodes along each, like [8, 8, 4]");
  refuse_too_many_nodes(node, "dimensions", nodes);
  fabric.link_bandwidth_Bps = node.quantity("link_bandwidth", Dimension::bandwidth);
}

void read_dragonfly(const JsonNode& node, Fabric& fabric) {
  const auto before = node.mistakes_so_far();
  fabric.groups = static_cast<int>(node.integer("groups", 1, most_nodes_of_fabric));
  fabric.switches_per_group = static_cast<int>(node.integer("switches_per_group", 1, most_nodes_of_fabric));
  fabric.nodes_per_switch = static_cast<int>(node.integer("nodes_per_switch", 1, most_nodes_of_fabric));
  fabric.links_between_groups = static_cast<int>(node.integer_or("links_between_groups", 1, 1, most_links));
  fabric.link_bandwidth_Bps = node.quantity("link_bandwidth", Dimension::bandwidth);
  if (node.mistakes_so_far() > before) return;
  refuse_too_many_nodes(node, "groups", 1.0 * fabric.groups * fabric.switches_per_group * fabric.nodes_per_switch);
  if (fabric.groups > fabric.switches_per_group)
    node.mistake_at("groups", fmt::format("{} groups need a switch each in every group to link them, and a group has "
                                          "{}; give {} groups or fewer",
                                          fabric.groups, fabric.switches_per_group, fabric.switches_per_group));
}

} // namespace

Fabric fabric_from(const JsonNode& node) {
  static const std::vector<std::string> all_keys{
      "kind",           "hop_latency", "nodes_per_leaf",     "blocking",         "upper_levels",         "dimensions",
      "link_bandwidth", "groups",      "switches_per_group", "nodes_per_switch", "links_between_groups", "routing",
      "sharp"};
  Fabric fabric;
  if (!node.is_object()) return fabric;
  const auto before = node.mistakes_so_far();
  fabric.kind = one_of<FabricKind>(node, "kind");
  node.allow_only(node.mistakes_so_far() > before ? all_keys : fabric_keys(fabric.kind));
  fabric.hop_latency_s = node.quantity_or_zero("hop_latency", Dimension::time);
  if (node.has("sharp")) fabric.sharp = node.boolean("sharp");
  if (is_tree(fabric)) read_tree(node, fabric);
  if (fabric.kind == FabricKind::torus) read_torus(node, fabric);
  if (fabric.kind == FabricKind::dragonfly) read_dragonfly(node, fabric);
  return fabric;
}

bool is_tree(const Fabric& fabric) {
  return fabric.kind == FabricKind::fat_tree || fabric.kind == FabricKind::rails;
}

std::vector<FabricLevel> levels_of(const Fabric& fabric) {
  std::vector<FabricLevel> levels{{fabric.nodes_per_leaf, fabric.blocking}};
  levels.insert(levels.end(), fabric.upper_levels.begin(), fabric.upper_levels.end());
  return levels;
}

std::vector<double> uplink_cables(const Fabric& fabric) {
  std::vector<double> cables;
  double blocking = 1;
  for (const auto& level : levels_of(fabric)) {
    blocking *= level.blocking;
    cables.push_back(level.nodes / blocking);
  }
  return cables;
}

int nodes_of_fabric(const Fabric& fabric) {
  if (fabric.kind == FabricKind::dragonfly) return fabric.groups * fabric.switches_per_group * fabric.nodes_per_switch;
  if (fabric.kind != FabricKind::torus) return 0;
  int nodes = 1;
  for (const int length : fabric.dimensions) nodes *= length;
  return nodes;
}

std::string describe(const Fabric& fabric) {
  const auto kind = to_text(fabric.kind);
  const auto hop = fmt::format("{:.9g} s a hop", fabric.hop_latency_s);
  const auto sharp = fabric.sharp ? ", SHARP" : "";
  switch (fabric.kind) {
  case FabricKind::star:
    return fmt::format("{}, {}{}", kind, hop, sharp);
  case FabricKind::torus:
    return fmt::format("{} of {} nodes, {:.9g} B/s a link, {}", kind, fmt::join(fabric.dimensions, " x "),
                       fabric.link_bandwidth_Bps, hop);
  case FabricKind::dragonfly:
    return fmt::format("{} of {} groups x {} switches x {} nodes, {} links between groups, {:.9g} B/s a link, {}", kind,
                       fabric.groups, fabric.switches_per_group, fabric.nodes_per_switch, fabric.links_between_groups,
                       fabric.link_bandwidth_Bps, hop);
  case FabricKind::fat_tree:
  case FabricKind::rails:
    break;
  }
  std::string upper;
  for (const auto& level : fabric.upper_levels)
    upper += fmt::format(", groups of {} nodes 1:{:.9g}", level.nodes, level.blocking);
  const auto routes = fabric.routing == Routing::fixed ? ", static routes" : "";
  return fmt::format("{} of {} nodes a leaf, 1:{:.9g}{}, {}{}{}", kind, fabric.nodes_per_leaf, fabric.blocking, upper,
                     hop, routes, sharp);
}

} // namespace ddlsim
