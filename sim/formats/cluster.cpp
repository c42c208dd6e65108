#include "sim/formats/cluster.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/file_formats.hpp"
#include "sim/formats/machine_fields.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

constexpr long most_nodes = 10'000'000;

/// Checks rules for the existing nodes and those that may be added.
void check_extent(const JsonNode& root, const Cluster& cluster) {
  if (cluster.growth_max_nodes < cluster.available_nodes)
    root.at("growth").mistake_at("max_nodes",
                                 fmt::format("{} found, fewer than the {} nodes available; give as many or more",
                                             cluster.growth_max_nodes, cluster.available_nodes));
}

/// Checks rules between the fabric and the rest of the file.
void check_fabric(const JsonNode& root, const Cluster& cluster) {
  const int places = nodes_of_fabric(cluster.fabric);
  if (places > 0 && cluster.growth_max_nodes > places)
    root.at("growth").mistake_at("max_nodes",
                                 fmt::format("{} found, and the {} has {} nodes; give that or fewer",
                                             cluster.growth_max_nodes, to_text(cluster.fabric.kind), places));
  const bool has_rails =
      std::any_of(cluster.nics.begin(), cluster.nics.end(), [](const Nic& nic) { return nic.count > 1; });
  if (cluster.fabric.kind == FabricKind::rails && !has_rails)
    root.at("fabric").mistake_at("kind", "rails found, and no NIC has a count of 2 or more; give that, or fat-tree");
  const int domain = cluster.intra.domain_nodes;
  if (domain == 1) return;
  if (cluster.fabric.routing == Routing::fixed)
    root.at("fabric").mistake_at("routing", fmt::format("static found, and an NVLink domain of {} nodes sends over the "
                                                        "cables of all of them; give adaptive",
                                                        domain));
  const bool is_whole = cluster.fabric.kind == FabricKind::star ||
                        (is_tree(cluster.fabric) && cluster.fabric.nodes_per_leaf % domain == 0);
  if (!is_whole)
    root.at("node").at("intra").mistake_at(
        "domain_nodes",
        fmt::format("{} found; the fabric is a star, or a fat-tree or rails whose leaves hold whole domains", domain));
  const int most_nodes = std::max(cluster.available_nodes, cluster.growth_max_nodes);
  if (is_whole && most_nodes > domain && most_nodes % domain != 0)
    root.at("node").at("intra").mistake_at(
        "domain_nodes", fmt::format("{} found, and the {} nodes that the cluster may have are no whole domains; give a "
                                    "number that divides them, or another \"max_nodes\"",
                                    domain, most_nodes));
}

/// Checks that each transport names a NIC of the node, unless it is shared memory, and that none is repeated.
void check_transports(const JsonNode& root, const Cluster& cluster) {
  std::vector<std::string> nics;
  for (const auto& nic : cluster.nics) nics.push_back(nic.name);
  std::set<std::string> names;
  const auto places = root.list("transports");
  for (std::size_t i = 0; i < places.size(); ++i) {
    const auto& transport = cluster.transports[i];
    const bool over_nic = carrier_of(transport.name) != Carrier::shm;
    if (!names.insert(transport.name).second)
      places[i].mistake_at("name", fmt::format("{} is there twice; keep one", in_quotes(transport.name)));
    if (!over_nic && !transport.nic.empty()) places[i].mistake_at("nic", "shm stays inside a node; leave \"nic\" out");
    if (over_nic && transport.nic.empty())
      places[i].mistake_at("nic", "missing; give the name of a NIC of the node");
    else if (over_nic && !is_in(nics, transport.nic))
      places[i].mistake_at("nic", unknown_name_text("NIC of the node", transport.nic, nics, nics));
  }
}

void check_whole_cluster(const JsonNode& root, Cluster& cluster) {
  check_extent(root, cluster);
  check_transports(root, cluster);
  check_fabric(root, cluster);
}

FieldTable<Transport> transport_fields() {
  return {{required("name", &Transport::name, word_type(transport_names()), "the software that moves bytes"),
           optional("nic", &Transport::nic, any_text_type(), "the NIC that it uses; shm has none")}};
}

FieldTable<Storage> cluster_storage_fields() {
  return {{required("kind", &Storage::kind,
                    word_type({"local-ssd", "nvme", "nfs", "lustre", "gpfs", "efs", "persistent-disk"}),
                    "where training data lie"),
           optional("read_bandwidth", &Storage::read_bandwidth_Bps, quantity_type(Dimension::bandwidth),
                    "read rate of a node")}};
}

FieldTable<Cluster> available_fields() {
  return {{required("nodes", &Cluster::available_nodes, whole_type(1, most_nodes), "nodes that exist")}};
}

FieldTable<Cluster> growth_fields() {
  return {{required("max_nodes", &Cluster::growth_max_nodes, whole_type(1, most_nodes),
                    "most nodes to which it may be extended"),
           required("rule", &Cluster::growth_rule, text_type(), "how it would be extended, in words")}};
}

FieldTable<Borrow> borrow_fields() {
  auto kind = name_of_type<RecordKind>();
  kind.shape.old_words.emplace_back(kOldLayersName);
  kind.read = [](const JsonNode& place) {
    if (place.value() == kOldLayersName) return RecordKind::layers;
    return value_named<RecordKind>(place.as_one_of(names_of<RecordKind>())).value_or(RecordKind{});
  };
  return {{required("cluster", &Borrow::cluster, text_type(), "cluster whose records are used too"),
           required("kinds", &Borrow::kinds, list_type(kind, 1), "kinds of its records that are used"),
           required("label", &Borrow::label, word_type({"transferred"}), "label of numbers from these records")}};
}

/// The row "sources": the file's pointers to the sources of its figures. covering_sources() reads it, because it needs
/// the whole file.
Field<Cluster> sources_field() {
  ValueShape shape{ValueKind::map};
  shape.parts = {{ValueKind::text}};
  shape.pattern = "^/";
  return {{"sources", Presence::required, shape,
           "JSON pointer of a figure, or of what holds it, to where it stands: every figure needs one"},
          [](const JsonNode&, Cluster&) {},
          [](const Cluster& cluster, nlohmann::ordered_json& object) { object["sources"] = cluster.sources; }};
}

std::vector<Field<Cluster>> fields_of_cluster() {
  return {required("name", &Cluster::name, name_type(), "name that scenarios use"),
          required("title", &Cluster::title, text_type(), "what it is"),
          optional("site", &Cluster::site, name_type(),
                   "clusters of the same people on the same fabric share it; the cluster's own name if not given"),
          group("node", node_fields(), "a node and what is in it"),
          required("fabric", &Cluster::fabric, object_type(fabric_fields()), "the network between nodes"),
          required("transports", &Cluster::transports, list_type(object_type(transport_fields())),
                   "how software reaches the network"),
          optional("storage", &Cluster::storage, object_type(cluster_storage_fields()),
                   "storage that nodes read samples from"),
          group("available", available_fields(), "the existing cluster"),
          group("growth", growth_fields(), "how far it may be extended"),
          optional("prices", &Cluster::prices, prices_type(),
                   "prices of one whole node; each combination of kind, term and date appears once"),
          optional("borrows", &Cluster::borrows, list_type(object_type(borrow_fields())),
                   "evidence taken from another cluster"),
          sources_field()};
}

const FieldTable<Cluster>& cluster_fields() {
  static const auto table = document<Cluster>("ddlsim-cluster", 1, fields_of_cluster(), check_whole_cluster);
  return table;
}

} // namespace

Cluster cluster_from(const JsonNode& root) {
  auto cluster = read_object(root, cluster_fields());
  if (cluster.site.empty()) cluster.site = cluster.name;
  cluster.sources = covering_sources(root);
  return cluster;
}

FileFormat cluster_format() {
  return {"cluster", "A machine one has, or would buy", "platforms/NAME/cluster.json, or a folder of one's own",
          cluster_fields().shape()};
}

Cluster read_cluster(const std::filesystem::path& file) {
  Cluster cluster;
  read_document(file, "ddlsim-cluster", 1, [&](const JsonNode& root) { cluster = cluster_from(root); });
  return cluster;
}

std::string devices_text(const Cluster& cluster) {
  if (cluster.gpus_per_node == 0) return "no GPU";
  const std::string unnamed = cluster.cpu.empty() ? "(no GPU named)" : "(no GPU named; " + cluster.cpu + ")";
  return fmt::format("{} x {}", cluster.gpus_per_node, cluster.gpu.empty() ? unnamed : cluster.gpu);
}

bool is_one_machine(const Cluster& cluster) {
  return std::max(cluster.available_nodes, cluster.growth_max_nodes) <= 1;
}

const Transport* transport_named(const Cluster& cluster, const std::string& name) {
  for (const auto& transport : cluster.transports)
    if (transport.name == name) return &transport;
  return nullptr;
}

const Transport& find_transport(const Cluster& cluster, const std::string& name) {
  if (const auto* transport = transport_named(cluster, name)) return *transport;
  std::vector<std::string> names;
  for (const auto& transport : cluster.transports) names.push_back(transport.name);
  throw UserError("", "", unknown_name_text("transport of cluster " + cluster.name, name, names, names));
}

const Nic& find_nic(const Cluster& cluster, const std::string& name) {
  std::vector<std::string> names;
  for (const auto& nic : cluster.nics) {
    if (nic.name == name) return nic;
    names.push_back(nic.name);
  }
  throw UserError("", "", unknown_name_text("NIC of cluster " + cluster.name, name, names, names));
}

} // namespace ddlsim
