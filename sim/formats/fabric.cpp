#include "sim/formats/fabric.hpp"

#include "sim/formats/field_table.hpp"
#include "sim/formats/machine_fields.hpp"

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
constexpr std::size_t most_dimensions = 16; ///< 16 dimensions of two nodes each have 65,536 nodes

void check_upper_levels(const JsonNode& node, const Fabric& fabric) {
  if (fabric.upper_levels.empty()) return;
  const auto places = node.list("upper_levels");
  int below = fabric.nodes_per_leaf;
  for (std::size_t i = 0; i < fabric.upper_levels.size(); ++i) {
    const int nodes = fabric.upper_levels[i].nodes;
    if (nodes <= below || nodes % below != 0)
      places[i].mistake_at("nodes",
                           fmt::format("{} nodes are not a whole number, two or more, of the groups below, of {} "
                                       "nodes each; give {}, or another multiple",
                                       nodes, below, 2L * below));
    below = nodes;
  }
}

bool is_whole_number(double number) {
  constexpr double digits = 1e-9;
  return number > 0.5 && std::abs(number - std::round(number)) < digits * number;
}

/// Checks that cables are whole numbers: with static routing each message takes one cable of a group, and one of a
/// switch.
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

void check_tree(const JsonNode& node, const Fabric& fabric) {
  const auto before = node.mistakes_so_far();
  check_upper_levels(node, fabric);
  if (node.mistakes_so_far() == before && fabric.routing == Routing::fixed) check_cables(node, fabric);
}

void refuse_too_many_nodes(const JsonNode& node, const std::string& key, double nodes) {
  if (nodes > most_nodes_of_fabric)
    node.mistake_at(key, fmt::format("{:.9g} nodes in all; {} are the most", nodes, most_nodes_of_fabric));
}

void check_torus(const JsonNode& node, const Fabric& fabric) {
  double nodes = 1;
  for (const int length : fabric.dimensions) nodes *= length;
  refuse_too_many_nodes(node, "dimensions", nodes);
}

void check_dragonfly(const JsonNode& node, const Fabric& fabric) {
  refuse_too_many_nodes(node, "groups", 1.0 * fabric.groups * fabric.switches_per_group * fabric.nodes_per_switch);
  if (fabric.groups > fabric.switches_per_group)
    node.mistake_at("groups", fmt::format("{} groups need a switch each in every group to link them, and a group has "
                                          "{}; give {} groups or fewer",
                                          fabric.groups, fabric.switches_per_group, fabric.switches_per_group));
}

void check_fabric_itself(const JsonNode& node, Fabric& fabric) {
  if (is_tree(fabric)) check_tree(node, fabric);
  if (fabric.kind == FabricKind::torus) check_torus(node, fabric);
  if (fabric.kind == FabricKind::dragonfly) check_dragonfly(node, fabric);
}

FieldTable<FabricLevel> level_fields() {
  return {
      {required("nodes", &FabricLevel::nodes, whole_type(1, most_nodes_of_fabric), "nodes of a group of this level"),
       required("blocking", &FabricLevel::blocking, number_type(1, most_blocking), "blocking of the group's uplinks")}};
}

std::vector<Field<Fabric>> tree_fields() {
  const std::vector<std::string> trees{to_text(FabricKind::fat_tree), to_text(FabricKind::rails)};
  return {required("nodes_per_leaf", &Fabric::nodes_per_leaf, whole_type(1, most_nodes_of_fabric),
                   "nodes on one leaf switch")
              .only_where("kind", trees),
          required("blocking", &Fabric::blocking, number_type(1, most_blocking),
                   "1.5 means 1:1.5, a leaf's uplinks carry that much less than its ports")
              .only_where("kind", trees),
          optional("upper_levels", &Fabric::upper_levels, list_type(object_type(level_fields())),
                   "levels above the leaves, from below, each with groups of so many nodes")
              .only_where("kind", trees),
          optional("routing", &Fabric::routing, name_of_type<Routing>(),
                   "how messages are spread over the uplinks of a group; adaptive if not given")
              .only_where("kind", trees)};
}

std::vector<Field<Fabric>> direct_fields() {
  const std::string torus = to_text(FabricKind::torus);
  const std::string dragonfly = to_text(FabricKind::dragonfly);
  const auto number = whole_type(1, most_nodes_of_fabric);
  return {
      required("dimensions", &Fabric::dimensions, list_type(number, 1, most_dimensions), "nodes along each dimension")
          .only_where("kind", {torus}),
      required("groups", &Fabric::groups, number, "groups of switches").only_where("kind", {dragonfly}),
      required("switches_per_group", &Fabric::switches_per_group, number,
               "switches of a group, all linked with each other")
          .only_where("kind", {dragonfly}),
      required("nodes_per_switch", &Fabric::nodes_per_switch, number, "nodes on each switch")
          .only_where("kind", {dragonfly}),
      optional("links_between_groups", &Fabric::links_between_groups, whole_type(1, most_links),
               "links between any two groups; 1 if not given")
          .only_where("kind", {dragonfly}),
      required("link_bandwidth", &Fabric::link_bandwidth_Bps, quantity_type(Dimension::bandwidth),
               "rate of one link between switches, in one direction")
          .only_where("kind", {torus, dragonfly})};
}

} // namespace

const FieldTable<Fabric>& fabric_fields() {
  static const auto table = [] {
    FieldTable<Fabric> made{
        {required("kind", &Fabric::kind, name_of_type<FabricKind>(), "how switches and nodes are linked"),
         required("hop_latency", &Fabric::hop_latency_s, quantity_or_zero_type(Dimension::time),
                  "latency of one switch"),
         optional("sharp", &Fabric::sharp, boolean_type(),
                  "its switches sum, and NCCL's plug-in for it is installed and enabled; false if not given")
             .only_where("kind", {"star", "fat-tree", "rails"})},
        check_fabric_itself};
    for (auto fields : {tree_fields(), direct_fields()})
      made.fields.insert(made.fields.end(), fields.begin(), fields.end());
    return made;
  }();
  return table;
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
