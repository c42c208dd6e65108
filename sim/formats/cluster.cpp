#include "sim/formats/cluster.hpp"

#include "sim/base/error.hpp"
#include "sim/formats/readers.hpp"
#include "sim/formats/record_reader.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

constexpr long most_nodes = 10'000'000;
constexpr long most_in_a_node = 1024;

IntraNode intra_from(const JsonNode& node) {
  static const std::vector<std::string> known{"kind", "bandwidth", "latency", "domain_nodes"};
  static const std::vector<std::string> without_links{"kind"};
  IntraNode intra;
  if (!node.is_object()) return intra;
  const auto before = node.mistakes_so_far();
  intra.kind = one_of<IntraKind>(node, "kind");
  const bool linked = intra.kind != IntraKind::none || node.mistakes_so_far() > before;
  node.allow_only(linked ? known : without_links);
  if (!linked) return intra;
  intra.bandwidth_Bps = node.quantity("bandwidth", Dimension::bandwidth);
  intra.latency_s = node.quantity("latency", Dimension::time);
  intra.domain_nodes = static_cast<int>(node.integer_or("domain_nodes", 1, 1, most_nodes));
  return intra;
}

HostLink host_link_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"bandwidth", "gpus"};
  if (!node.is_object()) return {};
  node.allow_only(known);
  return {node.quantity("bandwidth", Dimension::bandwidth),
          static_cast<int>(node.integer_or("gpus", 1, 1, most_in_a_node))};
}

/// Paths of Amazon's instances, which a version before this one knew. They are read, and count for nothing.
constexpr std::string_view paths_of_before[]{"ec2", "ec2-placement-group", "ec2-unstated"};

std::optional<NicPath> path_from(const JsonNode& nic, std::vector<std::string>& notes) {
  const auto has = [&](std::string_view name) { return nic.at("path").value() == name; };
  if (!nic.has("path") || std::none_of(std::begin(paths_of_before), std::end(paths_of_before), has))
    return name_or_none<NicPath>(nic, "path");
  notes.push_back(fmt::format("{}/path {} counts for nothing any more; leave it out, the next version refuses it",
                              nic.path(), describe(nic.at("path").value())));
  return std::nullopt;
}

std::vector<Nic> nics_from(const JsonNode& node, std::vector<std::string>& notes) {
  static constexpr std::string_view known[]{"name", "bandwidth", "count", "path", "bandwidth_assumed"};
  std::vector<Nic> nics;
  std::set<std::string> names;
  for (const auto& nic : node.list("nics")) {
    if (!nic.is_object()) continue;
    nic.allow_only(known);
    nics.push_back({simple_name(nic, "name"), nic.quantity("bandwidth", Dimension::bandwidth),
                    static_cast<int>(nic.integer_or("count", 1, 1, most_in_a_node)), path_from(nic, notes),
                    nic.boolean_or("bandwidth_assumed", false)});
    if (!nics.back().name.empty() && !names.insert(nics.back().name).second) {
      nic.mistake_at(
          "name", fmt::format("{} is there twice; give ports of one kind as \"count\"", in_quotes(nics.back().name)));
    }
  }
  return nics;
}

void read_node(const JsonNode& node, Cluster& cluster) {
  static constexpr std::string_view known[]{"gpu",         "gpus",      "cpu",   "cores", "host_memory_bandwidth",
                                            "host_memory", "host_link", "power", "intra", "nics"};
  if (!node.is_object()) return;
  node.allow_only(known);
  const auto before = node.mistakes_so_far();
  if (!node.has("gpu")) {
    node.mistake_at("gpu",
                    "missing; give a name of gpus.json, or \"\" for a node without GPUs or of a GPU nobody names");
  }
  cluster.gpu = node.text_or("gpu", "");
  cluster.gpus_per_node = static_cast<int>(node.integer("gpus", 0, most_in_a_node));
  if (node.mistakes_so_far() == before && !cluster.gpu.empty() && cluster.gpus_per_node == 0) {
    node.mistake_at("gpus",
                    fmt::format("0 found beside GPU {}; give their number, or \"gpu\": \"\"", in_quotes(cluster.gpu)));
  }
  cluster.cpu = node.text_or("cpu", "");
  cluster.cores_per_node = static_cast<int>(node.integer_or("cores", 0, 1, most_cores_of_node));
  cluster.host_memory_bandwidth_Bps = node.quantity_or("host_memory_bandwidth", Dimension::bandwidth, 0);
  cluster.host_memory_bytes = node.quantity_or("host_memory", Dimension::size, 0);
  if (node.has("host_link")) cluster.host_link = host_link_from(node.at("host_link"));
  cluster.node_power_w = node.quantity_or("power", Dimension::power, 0);
  const auto before_intra = node.mistakes_so_far();
  cluster.intra = intra_from(node.at("intra"));
  if (cluster.gpus_per_node > 1 && node.mistakes_so_far() == before_intra && cluster.intra.kind == IntraKind::none) {
    node.mistake_at(
        "intra", fmt::format("kind none, with {} GPUs a node; say how they reach each other", cluster.gpus_per_node));
  }
  cluster.nics = nics_from(node, cluster.notes);
}

Transport transport_from(const JsonNode& node, const std::vector<Nic>& nics) {
  static constexpr std::string_view known[]{"name", "nic"};
  Transport transport;
  if (!node.is_object()) return transport;
  transport.name = node.one_of("name", transport_names());
  const bool over_nic = carrier_of(transport.name) != Carrier::shm;
  node.allow_only(known);
  transport.nic = over_nic ? node.text("nic") : node.text_or("nic", "");
  if (!over_nic && !transport.nic.empty()) node.mistake_at("nic", "shm stays inside a node; leave \"nic\" out");
  std::vector<std::string> names;
  bool found = !over_nic || transport.nic.empty();
  for (const auto& nic : nics) {
    names.push_back(nic.name);
    found = found || nic.name == transport.nic;
  }
  if (!found) node.mistake_at("nic", unknown_name_text("NIC of the node", transport.nic, names, names));
  return transport;
}

std::vector<Transport> transports_from(const JsonNode& root, const std::vector<Nic>& nics) {
  std::vector<Transport> transports;
  std::set<std::string> names;
  for (const auto& node : root.list("transports")) {
    transports.push_back(transport_from(node, nics));
    if (!transports.back().name.empty() && !names.insert(transports.back().name).second)
      node.mistake_at("name", fmt::format("{} is there twice; keep one", in_quotes(transports.back().name)));
  }
  return transports;
}

Storage storage_from(const JsonNode& node) {
  static constexpr std::string_view known[]{"kind", "read_bandwidth"};
  static const std::vector<std::string> kinds{"local-ssd", "nvme", "nfs", "lustre", "gpfs", "efs", "persistent-disk"};
  if (!node.is_object()) return {};
  node.allow_only(known);
  return {node.one_of("kind", kinds), node.quantity_or("read_bandwidth", Dimension::bandwidth, 0)};
}

void read_extent(const JsonNode& root, Cluster& cluster) {
  static constexpr std::string_view available_keys[]{"nodes"};
  static constexpr std::string_view growth_keys[]{"max_nodes", "rule"};
  const auto before = root.mistakes_so_far();
  const JsonNode available = root.at("available");
  if (available.is_object()) {
    available.allow_only(available_keys);
    cluster.available_nodes = static_cast<int>(available.integer("nodes", 1, most_nodes));
  }
  const JsonNode growth = root.at("growth");
  if (growth.is_object()) {
    growth.allow_only(growth_keys);
    cluster.growth_max_nodes = static_cast<int>(growth.integer("max_nodes", 1, most_nodes));
    cluster.growth_rule = growth.text("rule");
    if (root.mistakes_so_far() == before && cluster.growth_max_nodes < cluster.available_nodes) {
      growth.mistake_at("max_nodes", fmt::format("{} found, fewer than the {} nodes available; give as many or more",
                                                 cluster.growth_max_nodes, cluster.available_nodes));
    }
  }
}

/// Rules between the fabric and the rest of the file.
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
}

std::vector<RecordKind> kinds_from(const JsonNode& node) {
  const auto& known = names_of<RecordKind>();
  const auto texts = node.texts_or_none("kinds");
  if (texts.empty()) node.mistake_at("kinds", fmt::format("none found; give one or more of {}", join_names(known)));
  std::vector<RecordKind> kinds;
  for (const auto& text : texts) {
    const auto kind = text == kOldLayersName ? RecordKind::layers : value_named<RecordKind>(text);
    if (kind) kinds.push_back(*kind);
    if (!kind) node.mistake_at("kinds", unknown_name_text("kind of record", text, known, known));
  }
  return kinds;
}

std::vector<Borrow> borrows_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"cluster", "kinds", "label"};
  static const std::vector<std::string> labels{"transferred"};
  std::vector<Borrow> borrows;
  if (!root.has("borrows")) return borrows;
  for (const auto& node : root.list("borrows")) {
    if (!node.is_object()) continue;
    node.allow_only(known);
    borrows.push_back({node.text("cluster"), kinds_from(node), node.one_of("label", labels)});
  }
  return borrows;
}

} // namespace

Cluster cluster_from(const JsonNode& root) {
  static constexpr std::string_view known[]{"format", "version", "name",       "title",   "site",
                                            "node",   "fabric",  "transports", "storage", "available",
                                            "growth", "prices",  "borrows",    "sources"};
  Cluster cluster;
  const auto before = root.mistakes_so_far();
  root.allow_only(known);
  cluster.name = simple_name(root, "name");
  cluster.title = root.text("title");
  cluster.site = root.has("site") ? simple_name(root, "site") : cluster.name;
  read_node(root.at("node"), cluster);
  cluster.fabric = fabric_from(root.at("fabric"));
  cluster.transports = transports_from(root, cluster.nics);
  if (root.has("storage")) cluster.storage = storage_from(root.at("storage"));
  read_extent(root, cluster);
  cluster.prices = prices_from(root);
  cluster.borrows = borrows_from(root);
  cluster.sources = covering_sources(root);
  if (root.mistakes_so_far() == before) check_fabric(root, cluster);
  return cluster;
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
