#include "own/new_cluster.hpp"

#include "import/plain_text.hpp"
#include "own/network_words.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/gpu_names.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int usual_growth = 8; ///< factor on the present number of nodes
constexpr long most_own_nodes = 10'000'000;
constexpr long most_own_gpus = 1024;

/// Collects a request's mistakes, each with its option.
class Refusals {
public:
  void add(const std::string& option, std::string what) { list_.push_back({"--" + option, "", std::move(what)}); }
  void throw_if_any() const {
    if (!list_.empty()) throw UserError(list_);
  }

private:
  std::vector<Mistake> list_;
};

std::optional<NodeNetwork> network_from(const std::string& text, std::vector<std::string>& notes, Refusals& refused) {
  try {
    return network_in(text, notes);
  } catch (const UserError& error) {
    refused.add("network", error.mistakes().front().what);
    return {};
  }
}

/// Returns the GPU of the request. Adds a mistake if it is unknown.
std::optional<Gpu> gpu_from(const ClusterRequest& request, const std::vector<Gpu>& gpus, Refusals& refused) {
  if (request.gpu.empty()) return {};
  try {
    return find_gpu(gpus, request.gpu);
  } catch (const UserError& error) {
    refused.add("gpu", error.mistakes().front().what + "; `ddlsim new gpu` makes one of your own");
    return {};
  }
}

/// Whether GPUs may have links of that kind when nvidia-smi describes them by that word.
bool may_be(IntraKind kind, const std::string& word) {
  const bool is_nvlink = kind == IntraKind::nvlink_mesh || kind == IntraKind::nvswitch;
  return word.empty() || is_nvlink == word.starts_with("NV");
}

/// Returns the shipped cluster with the most similar nodes: the same GPU, and if possible as many of them.
std::optional<Cluster> shipped_like(const ClusterRequest& request, const std::string& gpu, const DataFolder& data) {
  std::optional<Cluster> found;
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    if (cluster.gpu != gpu || cluster.intra.kind == IntraKind::none) continue;
    if (!may_be(cluster.intra.kind, request.links_word)) continue;
    const bool is_mesh = cluster.intra.kind == IntraKind::nvlink_mesh; // it joins the GPUs of its node and no more
    if (is_mesh && cluster.gpus_per_node < request.gpus_per_node) continue;
    if (cluster.gpus_per_node == request.gpus_per_node) return cluster;
    if (!found) found = cluster;
  }
  return found;
}

std::string source_of(const Cluster& cluster, const std::string& pointer) {
  for (std::string at = pointer; !at.empty(); at.erase(at.rfind('/')))
    if (const auto source = cluster.sources.find(at); source != cluster.sources.end()) return source->second;
  return "";
}

/// Reads links that were typed as in "nvswitch 370 GB/s 0.6 us".
Json typed_links(const std::string& text, Refusals& refused) {
  const auto words = split_words(text);
  constexpr std::size_t kind_and_two_quantities = 5;
  const auto& kinds = names_of<IntraKind>();
  if (words.size() != kind_and_two_quantities || !is_in(kinds, words[0])) {
    refused.add("links",
                fmt::format("{} found; give KIND RATE LATENCY, like \"nvswitch 370 GB/s 0.6 us\", of the kinds {}",
                            in_quotes(text), join_names(kinds)));
    return {};
  }
  const auto rate = words[1] + " " + words[2];
  const auto latency = words[3] + " " + words[4];
  for (const auto& [quantity, dimension] :
       {std::pair{rate, Dimension::bandwidth}, std::pair{latency, Dimension::time}}) {
    try {
      parse_quantity(quantity, dimension);
    } catch (const UserError& error) {
      refused.add("links", error.mistakes().front().what);
    }
  }
  return {{"kind", words[0]}, {"bandwidth", rate}, {"latency", latency}};
}

class Writer {
public:
  Writer(const ClusterRequest& request, const DataFolder& data) : request_(request), data_(data) {}

  NewCluster write() {
    check_name();
    check_numbers();
    const auto gpus = load_gpus(data_);
    gpu_ = gpu_from(request_, gpus, refused_);
    if (const auto choice = choice_of_gpu(request_.gpu, gpus); !choice.empty()) notes_.push_back(choice);
    for (const auto& text : request_.networks)
      if (auto network = network_from(text, notes_, refused_)) networks_.push_back(*network);
    if (request_.nodes > 1 && request_.networks.empty())
      refused_.add("network", "missing, with more than one node; give one, like \"8x400 Gbps ib\"");
    auto links = links_of_node();
    refused_.throw_if_any();
    const auto text = json_text(document(gpu_ ? gpu_->name : "", links), 2, JsonBytes::mended) + "\n";
    check(text);
    return {text, std::move(notes_)};
  }

private:
  /// Checks the name first, because an invalid name could not be written as JSON.
  void check_name() const {
    const nlohmann::json named{{"name", request_.name}};
    Mistakes mistakes("new cluster");
    simple_name(JsonNode(named, "", mistakes), "name");
    mistakes.throw_if_any();
  }

  void check_numbers() {
    if (request_.gpus_per_node < 1 || request_.gpus_per_node > most_own_gpus)
      refused_.add("gpus-per-node", fmt::format("{} found; give 1 to {}", request_.gpus_per_node, most_own_gpus));
    if (request_.nodes < 1 || request_.nodes > most_own_nodes)
      refused_.add("nodes", fmt::format("{} found; give 1 to {}", request_.nodes, most_own_nodes));
    if (request_.most_nodes != 0 && request_.most_nodes < request_.nodes)
      refused_.add("most-nodes", fmt::format("{} found, fewer than the {} nodes there are; give as many or more",
                                             request_.most_nodes, request_.nodes));
  }

  /// Returns the links of a node: those that were stated, else those of a shipped cluster with that GPU, those found on
  /// the machine, those of the GPU's data sheet, or an assumption.
  Json links_of_node() {
    if (!request_.links.empty()) {
      sources_["/node/intra"] = request_.stated_by;
      return typed_links(request_.links, refused_);
    }
    if (request_.gpus_per_node == 1) return {{"kind", "none"}};
    if (const auto like = gpu_ ? shipped_like(request_, gpu_->name, data_) : std::nullopt) return links_like(*like);
    if (!request_.links_seen.empty()) return stated_links();
    const bool has_sheet = gpu_ && (gpu_->links.kind != IntraKind::none || gpu_->pcie_Bps > 0);
    return has_sheet ? links_of_sheet() : unknown_links();
  }

  Json stated_links() {
    sources_["/node/intra"] =
        "the topology read says NVLink's rate; assumed: 0.8 of it is reached, as in shipped clusters of V100, A100 and "
        "H100 (0.80 to 0.84)";
    notes_.push_back(fmt::format("no shipped cluster has such nodes: 0.8 of NVLink's rate is assumed ({}); --links "
                                 "says it",
                                 request_.links_seen));
    return typed_links(request_.links_seen, refused_);
  }

  /// Returns links by the GPU's catalogue entry. A bridge joins only a few GPUs, and a ring over more of them passes
  /// PCIe.
  Json links_of_sheet() {
    // share of NVLink's rate that is reached: 0.80 to 0.84 in shipped clusters of V100, A100 and H100
    constexpr double reached_of_links = 0.8;
    // share of a slot's rate that is reached: 12 of 16 GB/s in NCCL's table of links
    constexpr double reached_of_pcie = 0.75;
    constexpr const char* nvlink_hop = "0.6 us"; // what NCCL counts from 2.18 on, and what shipped clusters state
    const auto& links = gpu_->links;
    const bool are_joined = links.kind != IntraKind::none &&
                            (links.gpus == 0 || links.gpus >= request_.gpus_per_node) &&
                            may_be(links.kind, request_.links_word);
    if (!are_joined && gpu_->pcie_Bps == 0) return unknown_links();
    const double rate_Bps = are_joined ? reached_of_links * links.bandwidth_Bps : reached_of_pcie * gpu_->pcie_Bps;
    const auto kind = to_text(are_joined ? links.kind : IntraKind::pcie_tree);
    const auto rate = print_quantity(rate_Bps, Dimension::bandwidth);
    const auto field = are_joined ? "links" : "pcie";
    sources_["/node/intra"] = fmt::format("not stated; assumed: {:g} of the {} of {} is reached, because that is so in "
                                          "clusters that were measured. There: {}",
                                          are_joined ? reached_of_links : reached_of_pcie,
                                          are_joined ? "links" : "PCIe slot", gpu_->name, gpu_->sources.at(field));
    notes_.push_back(
        fmt::format("how GPUs of a node reach each other is not stated: {} at {} is assumed, from the "
                    "data sheet of {}{}; --links says it",
                    kind, rate, gpu_->name,
                    !are_joined && links.gpus > 0 ? fmt::format(", whose bridge joins only {}", links.gpus) : ""));
    return {{"kind", kind}, {"bandwidth", rate}, {"latency", are_joined ? nvlink_hop : "1 us"}};
  }

  /// Returns assumed links, where nobody stated them, no shipped cluster has that GPU, and no data sheet is known.
  Json unknown_links() {
    sources_["/node/intra"] = "not stated; assumed: PCIe across two sockets, because no shipped cluster has such nodes";
    notes_.emplace_back(
        "how GPUs of a node reach each other is not stated: PCIe at 10 GB/s is assumed; --links says it");
    return {{"kind", "pcie-tree"}, {"bandwidth", "10 GB/s"}, {"latency", "1 us"}};
  }

  Json links_like(const Cluster& like) {
    const auto& intra = like.intra;
    const auto joined = intra.domain_nodes > 1 ? fmt::format(", which joins {} nodes", intra.domain_nodes) : "";
    sources_["/node/intra"] = fmt::format("not stated; assumed: as {} has it, because it has the same GPU. There: {}",
                                          like.name, source_of(like, "/node/intra/bandwidth"));
    notes_.push_back(fmt::format("how GPUs of a node reach each other is not stated: {} at {}{}, as {} has it, is "
                                 "assumed; --links says it",
                                 to_text(intra.kind), print_quantity(intra.bandwidth_Bps, Dimension::bandwidth), joined,
                                 like.name));
    Json links{{"kind", to_text(intra.kind)},
               {"bandwidth", print_quantity(intra.bandwidth_Bps, Dimension::bandwidth)},
               {"latency", print_quantity(intra.latency_s, Dimension::time)}};
    if (intra.domain_nodes > 1) links["domain_nodes"] = intra.domain_nodes;
    return links;
  }

  /// Returns the name of a NIC: ib, or ib-2 for the second of its kind.
  std::string nic_name(std::size_t index) const {
    int earlier = 0;
    for (std::size_t i = 0; i < index; ++i) earlier += networks_[i].kind == networks_[index].kind ? 1 : 0;
    return earlier == 0 ? networks_[index].kind : fmt::format("{}-{}", networks_[index].kind, earlier + 1);
  }

  Json nics() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < networks_.size(); ++i) {
      list.push_back({{"name", nic_name(i)}, {"bandwidth", networks_[i].rate}, {"count", networks_[i].ports}});
      if (networks_[i].kind == "efa") list.back()["path"] = to_text(NicPath::efa);
    }
    return list;
  }

  /// Returns the transports: every library, on the first network that can carry it. Transports over RDMA have names
  /// with -ib; sockets run over any network.
  Json transports() const {
    const auto has_rdma = [&](std::size_t i) { return networks_[i].kind != "ethernet"; };
    const auto first = [&](const auto& fits) {
      std::size_t i = 0;
      while (i < networks_.size() && !fits(i)) ++i;
      return i;
    };
    const auto fast = first(has_rdma);
    const auto sockets = first([&](std::size_t i) { return !has_rdma(i); });
    const auto plain = sockets < networks_.size() ? sockets : 0;
    Json list = Json::array();
    if (fast < networks_.size())
      for (const char* name : {"nccl-ib", "mpi-ib"}) list.push_back({{"name", name}, {"nic", nic_name(fast)}});
    if (!networks_.empty())
      for (const char* name : {"nccl-tcp", "mpi-tcp", "gloo-tcp", "grpc"})
        list.push_back({{"name", name}, {"nic", nic_name(plain)}});
    list.push_back({{"name", "shm"}, {"nic", ""}});
    return list;
  }

  /// Nodes are bought by whole NVLink domains.
  int in_whole_domains(int nodes, int domain_nodes) {
    const int rest = nodes % domain_nodes;
    if (rest == 0) return nodes;
    const int whole = nodes + domain_nodes - rest;
    notes_.push_back(
        fmt::format("{} nodes are no whole NVLink domains of {}: it may grow to {}", nodes, domain_nodes, whole));
    return whole;
  }

  Json document(const std::string& gpu, const Json& links) {
    const bool rdma_switch =
        std::any_of(networks_.begin(), networks_.end(), [](const NodeNetwork& one) { return one.kind == "ib"; });
    const int most = in_whole_domains(
        request_.most_nodes > 0 ? request_.most_nodes
                                : static_cast<int>(std::min(most_own_nodes, long{usual_growth} * request_.nodes)),
        links.value("domain_nodes", 1));
    Json node{{"gpu", request_.gpu_path.empty() ? gpu : request_.gpu_path}, {"gpus", request_.gpus_per_node}};
    if (!request_.cpu.empty()) node["cpu"] = request_.cpu;
    if (request_.cores > 0) node["cores"] = request_.cores;
    node["intra"] = links;
    node["nics"] = nics();
    sources_["/node/gpus"] = request_.stated_by;
    if (request_.cores > 0) sources_["/node/cores"] = request_.stated_by;
    if (!networks_.empty()) sources_["/node/nics"] = request_.stated_by;
    sources_["/fabric"] = "not stated; assumed: one non-blocking switch of the usual latency of its kind, because "
                          "how nodes are linked was not given";
    sources_["/available"] = request_.stated_by;
    sources_["/growth"] = request_.most_nodes > 0 ? request_.stated_by
                                                  : "not stated; assumed: eight times the nodes there "
                                                    "are, so that larger scales can be asked about";
    if (!networks_.empty())
      notes_.emplace_back("how nodes are linked is not stated: one non-blocking switch is assumed; "
                          "`ddlsim explain fabric` has the other forms");
    Json json{{"format", "ddlsim-cluster"}, {"version", 1}, {"name", request_.name}};
    json["title"] = title(gpu);
    json["node"] = node;
    json["fabric"] = {{"kind", "star"}, {"hop_latency", rdma_switch ? "0.1 us" : "1 us"}};
    json["transports"] = transports();
    json["available"] = {{"nodes", request_.nodes}};
    json["growth"] = {{"max_nodes", most}, {"rule", "more nodes of the same kind, on a switch that does not block"}};
    json["sources"] = sources_;
    return json;
  }

  std::string title(const std::string& gpu) const {
    return fmt::format("{} nodes of {} x {}{}", request_.nodes, request_.gpus_per_node, gpu.empty() ? "processor" : gpu,
                       request_.networks.empty() ? "" : ", " + join_names(request_.networks));
  }

  /// Throws if `check` would refuse the file.
  void check(const std::string& text) const {
    const auto document = parse_json(text, request_.name);
    Mistakes mistakes("new cluster");
    cluster_from(JsonNode(document, "", mistakes));
    mistakes.throw_if_any();
  }

  const ClusterRequest& request_;
  const DataFolder& data_;
  Refusals refused_;
  std::optional<Gpu> gpu_;
  std::vector<NodeNetwork> networks_;
  std::map<std::string, std::string> sources_;
  std::vector<std::string> notes_;
};

} // namespace

NewCluster new_cluster(const ClusterRequest& request, const DataFolder& data) {
  return Writer(request, data).write();
}

} // namespace ddlsim
