#include "import/plain_text.hpp"
#include "own/new_files.hpp"
#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/readers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

namespace ddlsim {
namespace {

using Json = nlohmann::ordered_json;

constexpr int usual_growth = 8; ///< times the nodes there are
constexpr long most_own_nodes = 10'000'000;
constexpr long most_own_gpus = 1024;

struct Network {
  std::string kind;
  int ports = 1;
  std::string rate;
};

/// What a request's mistakes are called by.
class Refusals {
public:
  void add(const std::string& option, std::string what) { list_.push_back({"--" + option, "", std::move(what)}); }
  void throw_if_any() const {
    if (!list_.empty()) throw UserError(list_);
  }

private:
  std::vector<Mistake> list_;
};

/// "8x400 Gbps ib" -> 8, "400 Gbps", ib.
std::optional<Network> network_from(const std::string& text, Refusals& refused) {
  const std::string expected = "give PORTSxRATE KIND, like \"8x400 Gbps ib\"";
  Network network;
  std::string rest(trim(text));
  const auto last = rest.find_last_of(" \t");
  if (last == std::string::npos) {
    refused.add("network", fmt::format("{} found; {}", in_quotes(text), expected));
    return {};
  }
  network.kind = rest.substr(last + 1);
  if (network.kind == "eth") network.kind = "ethernet";
  rest = trim(std::string_view(rest).substr(0, last));
  const auto cross = rest.find('x');
  if (cross != std::string::npos) {
    const auto read = std::from_chars(rest.data(), rest.data() + cross, network.ports);
    if (read.ec != std::errc() || read.ptr != rest.data() + cross || network.ports < 1 || network.ports > most_own_gpus)
      refused.add("network", fmt::format("{} found before the x, a number of ports expected; {}",
                                         in_quotes(rest.substr(0, cross)), expected));
    rest.erase(0, cross + 1);
  }
  network.rate = trim(rest);
  if (!is_in(network_kinds(), network.kind))
    refused.add("network", unknown_name_text("kind of network", network.kind, network_kinds(), network_kinds()));
  try {
    parse_quantity(network.rate, Dimension::bandwidth);
  } catch (const UserError& error) {
    refused.add("network", error.mistakes().front().what);
  }
  return network;
}

std::string catalogue_name(const ClusterRequest& request, const std::vector<Gpu>& gpus, Refusals& refused) {
  if (request.gpu.empty()) return "";
  try {
    return find_gpu(gpus, request.gpu).name;
  } catch (const UserError& error) {
    refused.add("gpu", error.mistakes().front().what);
    return "";
  }
}

/// Can GPUs whose links nvidia-smi calls by that word be joined so?
bool may_be(IntraKind kind, const std::string& word) {
  const bool is_nvlink = kind == IntraKind::nvlink_mesh || kind == IntraKind::nvswitch;
  return word.empty() || is_nvlink == word.starts_with("NV");
}

/// The shipped cluster whose nodes are most like these: the same GPU, and as many of them if there is such a one.
std::optional<Cluster> shipped_like(const ClusterRequest& request, const std::string& gpu, const DataFolder& data) {
  std::optional<Cluster> found;
  for (const auto& name : list_clusters(data)) {
    const auto cluster = load_cluster(data, name);
    if (cluster.gpu != gpu || cluster.intra.kind == IntraKind::none || cluster.intra.domain_nodes > 1) continue;
    if (!may_be(cluster.intra.kind, request.links_word)) continue;
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

/// "nvswitch 370 GB/s 0.6 us".
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

/// How the GPUs of a node reach each other, where nobody said it and no shipped cluster has that GPU.
Json unknown_links() {
  return {{"kind", "pcie-tree"}, {"bandwidth", "10 GB/s"}, {"latency", "1 us"}};
}

class Writer {
public:
  Writer(const ClusterRequest& request, const DataFolder& data) : request_(request), data_(data) {}

  NewCluster write() {
    check_name();
    check_numbers();
    const auto gpu = catalogue_name(request_, load_gpus(data_), refused_);
    for (const auto& text : request_.networks)
      if (auto network = network_from(text, refused_)) networks_.push_back(*network);
    if (request_.nodes > 1 && request_.networks.empty())
      refused_.add("network", "missing, with more than one node; give one, like \"8x400 Gbps ib\"");
    auto links = links_of(gpu);
    refused_.throw_if_any();
    const auto text = json_text(document(gpu, links), 2, JsonBytes::mended) + "\n";
    check(text);
    return {text, std::move(notes_)};
  }

private:
  /// First: a name that is none would not come through JSON.
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

  Json links_of(const std::string& gpu) {
    if (!request_.links.empty()) {
      sources_["/node/intra"] = request_.stated_by;
      return typed_links(request_.links, refused_);
    }
    if (request_.gpus_per_node == 1) return {{"kind", "none"}};
    const auto like = shipped_like(request_, gpu, data_);
    if (!like && !request_.links_seen.empty()) {
      sources_["/node/intra"] =
          "nvidia-smi nvlink -s on this machine says NVLink's rate; assumed: 0.8 of it is reached, "
          "as in shipped clusters of V100, A100 and H100 (0.80 to 0.84)";
      notes_.push_back(fmt::format("no shipped cluster has such nodes: 0.8 of NVLink's rate is assumed ({}); --links "
                                   "says it",
                                   request_.links_seen));
      return typed_links(request_.links_seen, refused_);
    }
    if (!like) {
      sources_["/node/intra"] =
          "not stated; assumed: PCIe across two sockets, because no shipped cluster has such nodes";
      notes_.emplace_back(
          "how GPUs of a node reach each other is not stated: PCIe at 10 GB/s is assumed; --links says it");
      return unknown_links();
    }
    sources_["/node/intra"] = fmt::format("not stated; assumed: as {} has it, because it has the same GPU. There: {}",
                                          like->name, source_of(*like, "/node/intra/bandwidth"));
    notes_.push_back(fmt::format(
        "how GPUs of a node reach each other is not stated: {} at {}, as {} has it, is assumed; "
        "--links says it",
        to_text(like->intra.kind), print_quantity(like->intra.bandwidth_Bps, Dimension::bandwidth), like->name));
    return {{"kind", to_text(like->intra.kind)},
            {"bandwidth", print_quantity(like->intra.bandwidth_Bps, Dimension::bandwidth)},
            {"latency", print_quantity(like->intra.latency_s, Dimension::time)}};
  }

  /// ib, or ib-2 where it is the second of its kind.
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

  /// Every library, on the first network that can carry it: RDMA under the -ib names, sockets over any network.
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

  Json document(const std::string& gpu, const Json& links) {
    const bool rdma_switch =
        std::any_of(networks_.begin(), networks_.end(), [](const Network& one) { return one.kind == "ib"; });
    const int most = request_.most_nodes > 0
                         ? request_.most_nodes
                         : static_cast<int>(std::min(most_own_nodes, long{usual_growth} * request_.nodes));
    Json node{{"gpu", gpu}, {"gpus", request_.gpus_per_node}};
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
                          "docs/fabrics.md has the other forms");
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

  /// What would not pass `check` is not given.
  void check(const std::string& text) const {
    const auto document = parse_json(text, request_.name);
    Mistakes mistakes("new cluster");
    cluster_from(JsonNode(document, "", mistakes));
    mistakes.throw_if_any();
  }

  const ClusterRequest& request_;
  const DataFolder& data_;
  Refusals refused_;
  std::vector<Network> networks_;
  std::map<std::string, std::string> sources_;
  std::vector<std::string> notes_;
};

} // namespace

const std::vector<std::string>& network_kinds() {
  static const std::vector<std::string> kinds{"ib", "roce", "efa", "ethernet"};
  return kinds;
}

NewCluster new_cluster(const ClusterRequest& request, const DataFolder& data) {
  return Writer(request, data).write();
}

} // namespace ddlsim
