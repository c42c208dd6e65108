#include "sim/formats/machine_fields.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace ddlsim {

namespace {

constexpr long most_in_a_node = 1024;
constexpr long most_domain_nodes = 10'000'000;

FieldTable<IntraNode> intra_fields() {
  auto linked = names_of<IntraKind>();
  std::erase(linked, to_text(IntraKind::none));
  return {{required("kind", &IntraNode::kind, name_of_type<IntraKind>(), "how GPUs of one node reach each other"),
           required("bandwidth", &IntraNode::bandwidth_Bps, quantity_type(Dimension::bandwidth),
                    "rate of one GPU in one direction, on the path that a ring uses")
               .only_where("kind", linked),
           required("latency", &IntraNode::latency_s, quantity_type(Dimension::time), "latency of one message")
               .only_where("kind", linked),
           optional("domain_nodes", &IntraNode::domain_nodes, whole_type(1, most_domain_nodes),
                    "nodes of one NVLink domain, whose GPUs NCCL takes as those of one node; 1 if not given")
               .only_where("kind", linked)}};
}

FieldTable<HostLink> host_link_fields() {
  return {
      {required("bandwidth", &HostLink::bandwidth_Bps, quantity_type(Dimension::bandwidth),
                "rate in one direction that copies between a GPU and host memory reach"),
       optional("gpus", &HostLink::gpus, whole_type(1, most_in_a_node), "GPUs that share the link; 1 if not given")}};
}

/// Paths of Amazon's instances that an earlier version knew. They are still read but have no effect.
const std::vector<std::string>& paths_of_before() {
  static const std::vector<std::string> paths{"ec2", "ec2-placement-group", "ec2-unstated"};
  return paths;
}

ValueType<std::optional<NicPath>> path_type() {
  return {{ValueKind::word, names_of<NicPath>(), paths_of_before()},
          [](const JsonNode& place) -> std::optional<NicPath> {
            const auto& value = place.value();
            if (value.is_string() && is_in(paths_of_before(), value.get<std::string>())) return std::nullopt;
            return value_named<NicPath>(place.as_one_of(names_of<NicPath>()));
          },
          [](const std::optional<NicPath>& path) { return nlohmann::ordered_json(to_text(path)); }};
}

FieldTable<Nic> nic_fields() {
  return {
      {required("name", &Nic::name, name_type(), "name that transports use"),
       required("bandwidth", &Nic::bandwidth_Bps, quantity_type(Dimension::bandwidth),
                "line rate of one port in one direction"),
       optional("count", &Nic::count, whole_type(1, most_in_a_node), "ports a node; 1 if not given"),
       optional("path", &Nic::path, path_type(),
                "virtual-switch: through a hypervisor's software switch (no SR-IOV). efa: Amazon's Elastic Fabric "
                "Adapter. ip-over-fabric: InfiniBand or Aries, which the kernel's sockets use by IPoIB or its like. "
                "host-memory: RDMA that copies through host memory, without GPUDirect. "
                "Leave it out where software reaches the NIC itself. The ec2 words are read for one version and "
                "count for nothing"),
       optional("bandwidth_assumed", &Nic::bandwidth_assumed, boolean_type(),
                "no source states the rate; `sources` says why this one. What software reaches of it says nothing "
                "of other clusters")}};
}

void note_old_paths(const JsonNode& nics, Cluster& cluster) {
  for (const auto& nic : nics.elements()) {
    if (!nic.has("path") || !nic.at("path").value().is_string()) continue;
    const auto path = nic.at("path").as_any_text();
    if (is_in(paths_of_before(), path))
      cluster.notes.push_back(fmt::format("{}/path {} counts for nothing any more; leave it out, the next version "
                                          "refuses it",
                                          nic.path(), in_quotes(path)));
  }
}

void check_node(const JsonNode& node, Cluster& cluster) {
  note_old_paths(node.at("nics"), cluster);
  if (!cluster.gpu.empty() && cluster.gpus_per_node == 0)
    node.mistake_at("gpus",
                    fmt::format("0 found beside GPU {}; give their number, or \"gpu\": \"\"", in_quotes(cluster.gpu)));
  if (cluster.gpus_per_node > 1 && cluster.intra.kind == IntraKind::none)
    node.mistake_at(
        "intra", fmt::format("kind none, with {} GPUs a node; say how they reach each other", cluster.gpus_per_node));
  std::set<std::string> names;
  const auto places = node.list("nics");
  for (std::size_t i = 0; i < places.size(); ++i)
    if (!names.insert(cluster.nics[i].name).second)
      places[i].mistake_at("name", fmt::format("{} is there twice; give ports of one kind as \"count\"",
                                               in_quotes(cluster.nics[i].name)));
}

std::vector<Field<Cluster>> rows_of_node() {
  return {required("gpu", &Cluster::gpu, any_text_type(),
                   "name in gpus.json, or the path of a GPU's own file; \"\" without GPUs, or when nobody names it")
              .expects("a name of gpus.json, or \"\" for a node without GPUs or of a GPU nobody names"),
          required("gpus", &Cluster::gpus_per_node, whole_type(0, most_in_a_node), "GPUs of a node"),
          optional("cpu", &Cluster::cpu, any_text_type(), "the processors, in words"),
          optional("cores", &Cluster::cores_per_node, whole_type(1, most_cores_of_node),
                   "processors of a node as its operating system counts them: hardware threads, vCPU"),
          optional("host_memory_bandwidth", &Cluster::host_memory_bandwidth_Bps, quantity_type(Dimension::bandwidth),
                   "memory bandwidth that all cores of a node reach together"),
          optional("host_memory", &Cluster::host_memory_bytes, quantity_type(Dimension::size), "memory of a node"),
          optional("host_link", &Cluster::host_link, object_type(host_link_fields()),
                   "the link for copies between GPUs and host memory"),
          optional("power", &Cluster::node_power_w, quantity_type(Dimension::power), "power of a whole busy node"),
          required("intra", &Cluster::intra, object_type(intra_fields()), "paths between GPUs of one node"),
          required("nics", &Cluster::nics, list_type(object_type(nic_fields())), "network ports")};
}

} // namespace

const FieldTable<Cluster>& node_fields() {
  static const FieldTable<Cluster> table{rows_of_node(), check_node};
  return table;
}

} // namespace ddlsim
