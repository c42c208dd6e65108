#include "sim/formats/neighbour.hpp"

#include "sim/formats/question_fields.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <string>

namespace ddlsim {
namespace {

constexpr const char* placement_key = "node_placement";

/// The algorithms that a neighbour's all-reduce may use: those for which it is known which node sends to which.
const std::vector<std::string>& algorithms_of_neighbours() {
  static const std::vector<std::string> names{to_text(Algorithm::ring), to_text(Algorithm::tree),
                                              to_text(Algorithm::halving_doubling),
                                              to_text(Algorithm::recursive_doubling)};
  return names;
}

nlohmann::ordered_json placement_to_json(const NodePlacement& placement) {
  if (placement.order == NodeOrder::listed) return placement.nodes;
  return to_text(placement.order);
}

ValueType<NodePlacement> placement_type() {
  const auto nodes = distinct(list_type(whole_type(0, most_ranks - 1), 1));
  const auto words = name_of_type<NodeOrder>({to_text(NodeOrder::packed), to_text(NodeOrder::scattered)});
  ValueShape shape{ValueKind::either};
  shape.parts = {words.shape, nodes.shape};
  return {shape,
          [=](const JsonNode& place) -> NodePlacement {
            if (place.value().is_array()) return {NodeOrder::listed, nodes.read(place)};
            return {words.read(place), {}};
          },
          placement_to_json};
}

void check_neighbour(const JsonNode& node, Neighbour& neighbour) {
  const auto& listed = neighbour.placement;
  if (listed.order == NodeOrder::listed && listed.nodes.size() != static_cast<std::size_t>(neighbour.nodes))
    node.mistake_at(placement_key, fmt::format("{} nodes are listed, and the job has {}; give as many",
                                               listed.nodes.size(), neighbour.nodes));
}

FieldTable<Neighbour> neighbour_fields() {
  return {{required("name", &Neighbour::name, name_type(), "of the job"),
           required("nodes", &Neighbour::nodes, whole_type(2, most_ranks), "that it has"),
           optional(placement_key, &Neighbour::placement, placement_type(), "where they are; packed if not given"),
           required("compute", &Neighbour::compute_s, quantity_or_zero_type(Dimension::time),
                    "of an iteration, without the all-reduce"),
           required("all_reduce", &Neighbour::all_reduce_bytes, quantity_type(Dimension::size),
                    "of an iteration, after compute"),
           optional("algorithm", &Neighbour::algorithm, name_of_type<Algorithm>(algorithms_of_neighbours()),
                    "of the all-reduce; a ring if not given")},
          check_neighbour};
}

/// Maps the number of each listed node to its place in the file.
using ListedNodes = std::map<int, std::string>;

/// Notes every node that is already in the list of an earlier job, and adds the other nodes.
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

void check_co_location(const JsonNode& root, const CoLocation& co_location) {
  ListedNodes listed;
  check_listed_once(root, co_location.placement, listed);
  if (!root.has("neighbours")) return;
  std::set<std::string> names;
  const auto places = root.list("neighbours");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& neighbour = co_location.neighbours[i];
    if (!names.insert(neighbour.name).second)
      places[i].mistake_at("name", fmt::format("{} is there twice; give each job a name of its own", neighbour.name));
    check_listed_once(places[i], neighbour.placement, listed);
  }
}

std::vector<Field<Scenario>> rows_of_co_location() {
  constexpr double most_background = 0.99;
  return {optional(placement_key, within(&Scenario::co_location, &CoLocation::placement), placement_type(),
                   "where the job's nodes are: one after another, dealt out over the leaves, or as a list says; packed "
                   "if not given"),
          optional("neighbours", within(&Scenario::co_location, &CoLocation::neighbours),
                   list_type(object_type(neighbour_fields())),
                   "other jobs on the same fabric; each computes, all-reduces over its nodes, and begins again"),
          optional("background_traffic", within(&Scenario::co_location, &CoLocation::background_traffic),
                   number_type(0, most_background), "share of every link between switches that other traffic takes")};
}

} // namespace ddlsim
