#include "sim/formats/neighbour.hpp"

#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

namespace ddlsim {
namespace {

constexpr const char* placement_key = "node_placement";
constexpr const char* algorithm_key = "algorithm";

/// What a neighbour may sum by: who sends to whom is known node by node.
const std::vector<std::string>& algorithms_of_neighbours() {
  static const std::vector<std::string> names{to_text(Algorithm::ring), to_text(Algorithm::tree),
                                              to_text(Algorithm::halving_doubling),
                                              to_text(Algorithm::recursive_doubling)};
  return names;
}

NodePlacement listed_nodes_from(const JsonNode& node) {
  NodePlacement placement{NodeOrder::listed, {}};
  std::set<int> seen;
  for (const auto& element : node.elements()) {
    const auto& value = element.value();
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() >= most_ranks) {
      element.mistake(fmt::format("{} is no number of a node; nodes are counted from 0", describe(value)));
      continue;
    }
    placement.nodes.push_back(value.get<int>());
    if (!seen.insert(placement.nodes.back()).second)
      element.mistake(fmt::format("node {} is there twice; keep one", placement.nodes.back()));
  }
  if (node.value().empty()) node.mistake("no node found; give their numbers, counted from 0");
  return placement;
}

NodePlacement placement_from(const JsonNode& parent) {
  if (!parent.has(placement_key)) return {};
  const auto node = parent.at(placement_key);
  if (node.value().is_array()) return listed_nodes_from(node);
  static const std::vector<std::string> words{to_text(NodeOrder::packed), to_text(NodeOrder::scattered)};
  return {one_of<NodeOrder>(parent, placement_key, words), {}};
}

Neighbour neighbour_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"name", "nodes", placement_key, "compute", "all_reduce", algorithm_key};
  Neighbour neighbour;
  if (!node.is_object()) return neighbour;
  node.allow_only(known);
  const auto before = node.mistakes_so_far();
  neighbour.name = simple_name(node, "name");
  neighbour.nodes = static_cast<int>(node.integer("nodes", 2, most_ranks));
  neighbour.placement = placement_from(node);
  neighbour.compute_s = node.quantity_or_zero("compute", Dimension::time);
  neighbour.all_reduce_bytes = node.quantity("all_reduce", Dimension::size);
  neighbour.algorithm = one_of_or<Algorithm>(node, algorithm_key, Algorithm::ring, algorithms_of_neighbours());
  const auto& listed = neighbour.placement;
  if (node.mistakes_so_far() == before && listed.order == NodeOrder::listed &&
      listed.nodes.size() != static_cast<std::size_t>(neighbour.nodes))
    node.mistake_at(placement_key, fmt::format("{} nodes are listed, and the job has {}; give as many",
                                               listed.nodes.size(), neighbour.nodes));
  return neighbour;
}

nlohmann::ordered_json placement_to_json(const NodePlacement& placement) {
  if (placement.order == NodeOrder::listed) return placement.nodes;
  return to_text(placement.order);
}

/// Where each listed node stands in the file, by its number.
using ListedNodes = std::map<int, std::string>;

/// Notes every node of a list that a list before it has, and adds the others.
void check_listed_once(const JsonNode& job, const NodePlacement& placement, ListedNodes& listed) {
  if (placement.order != NodeOrder::listed) return;
  for (const auto& element : job.at(placement_key).elements()) {
    if (!element.value().is_number_integer()) continue;
    const auto [before, is_new] = listed.emplace(element.value().get<int>(), element.path());
    if (!is_new && before->second.rfind(job.path() + "/" + placement_key, 0) != 0)
      element.mistake(fmt::format("node {} is taken by {} already; a node has one job", before->first, before->second));
  }
}

} // namespace

CoLocation co_location_from(const JsonNode& root) {
  constexpr double most_background = 0.99;
  CoLocation co_location;
  co_location.placement = placement_from(root);
  ListedNodes listed;
  check_listed_once(root, co_location.placement, listed);
  if (root.has("neighbours")) {
    std::set<std::string> names;
    for (const auto& node : root.list("neighbours")) {
      co_location.neighbours.push_back(neighbour_from(node));
      if (const auto& name = co_location.neighbours.back().name; !name.empty() && !names.insert(name).second)
        node.mistake_at("name", fmt::format("{} is there twice; give each job a name of its own", name));
      check_listed_once(node, co_location.neighbours.back().placement, listed);
    }
  }
  co_location.background_traffic = root.number_or("background_traffic", 0, 0, most_background);
  return co_location;
}

void add_co_location(nlohmann::ordered_json& json, const CoLocation& co_location) {
  if (co_location.placement != NodePlacement{}) json[placement_key] = placement_to_json(co_location.placement);
  for (const auto& neighbour : co_location.neighbours) {
    nlohmann::ordered_json one{{"name", neighbour.name}, {"nodes", neighbour.nodes}};
    if (neighbour.placement != NodePlacement{}) one[placement_key] = placement_to_json(neighbour.placement);
    one["compute"] = fmt::format("{} s", neighbour.compute_s);
    one["all_reduce"] = fmt::format("{} B", neighbour.all_reduce_bytes);
    if (neighbour.algorithm != Algorithm::ring) one[algorithm_key] = to_text(neighbour.algorithm);
    json["neighbours"].push_back(one);
  }
  if (co_location.background_traffic > 0) json["background_traffic"] = co_location.background_traffic;
}

} // namespace ddlsim
