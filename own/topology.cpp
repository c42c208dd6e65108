#include "own/topology.hpp"

#include "import/plain_text.hpp"
#include "own/xml_tags.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

namespace ddlsim {
namespace {

constexpr double most_parts_of_node = 100'000; ///< most links, cores or GPUs of a node

int part_count(const std::string& text) {
  const auto number = parse_number(text);
  return number && number->value >= 1 && number->value <= most_parts_of_node ? static_cast<int>(number->value) : 0;
}

/// Returns a hexadecimal id without its prefix: "10de" for "0x10de" and "10de".
std::string hex_id(std::string text) {
  text = lower_case(text);
  return text.starts_with("0x") ? text.substr(2) : text;
}

/// Rate of one NVLink in one direction by the GPU's compute capability, from data sheets of P100, V100, A100, H100 and
/// B200, and of the bridges of GA102. 0: not known.
double link_GBps(int compute_capability) {
  if (compute_capability >= 100 && compute_capability < 120) return 50;
  if (compute_capability == 86) return 14.0625;
  if (compute_capability == 60) return 20;
  return compute_capability >= 70 && compute_capability <= 90 ? 25 : 0;
}

/// Whether a NIC shares a PCIe switch with a GPU: both are inside one tag of `bridges`.
bool shares_switch(const std::vector<XmlTag>& tags, int nic, const std::vector<int>& gpus,
                   const std::set<int>& bridges) {
  for (int around = tags[static_cast<std::size_t>(nic)].parent; around >= 0;
       around = tags[static_cast<std::size_t>(around)].parent) {
    if (bridges.count(around) == 0) continue;
    if (std::any_of(gpus.begin(), gpus.end(), [&](int gpu) { return is_inside(tags, gpu, around); })) return true;
  }
  return false;
}

void add_adapter(Topology& topology, const std::string& name, bool is_near) {
  if (name.empty() || is_in(topology.adapters, name)) return;
  topology.adapters.push_back(name);
  if (is_near) topology.near.push_back(name);
}

/// Takes the GPU that most of the names mean.
void take_gpu(Topology& topology, const std::vector<std::string>& names, const std::vector<Gpu>& catalogue) {
  topology.facts.gpus = static_cast<int>(std::min<std::size_t>(names.size(), most_gpus_of_machine));
  for (const auto& name : names)
    if (const auto match = match_gpu(name, catalogue); match.gpu != nullptr && topology.facts.gpu.empty())
      topology.facts.gpu = match.gpu->name;
}

std::string kind_by_name(const std::string& device) {
  if (device.starts_with("rdmap") || device.starts_with("efa")) return "efa";
  for (const char* socket : {"eth", "en", "bond", "hsn"})
    if (device.starts_with(socket)) return "ethernet";
  return "ib";
}

/// Reads the topology in NCCL's XML. Each GPU is a <gpu> in its <pci>, with a <nvlink> for each neighbour; ports are
/// <net>.
Topology by_nccl(const std::vector<XmlTag>& tags, const std::vector<Gpu>& catalogue) {
  Topology topology;
  std::vector<int> gpus;
  std::vector<std::string> names;
  std::set<int> switches;
  std::map<int, int> links; // number of links by GPU
  bool by_nvswitch = false;
  int capability = 0;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto& tag = tags[i];
    const int place = static_cast<int>(i);
    if (tag.name == "pci") switches.insert(place);
    if (tag.name == "gpu" && tag.parent >= 0) {
      const auto& pci = tags[static_cast<std::size_t>(tag.parent)];
      gpus.push_back(place);
      names.push_back(hex_id(pci.attribute("vendor")) + ":" + hex_id(pci.attribute("device")));
      capability = part_count(tag.attribute("sm"));
    }
    const bool is_link = (tag.name == "nvlink" || tag.name == "xgmi") && tag.parent >= 0;
    if (is_link) links[tag.parent] += std::max(1, part_count(tag.attribute("count")));
    if (is_link && tag.attribute("tclass") == "0x068000") by_nvswitch = true;
  }
  take_gpu(topology, names, catalogue);
  auto& facts = topology.facts;
  if (!links.empty()) {
    int least = links.begin()->second; // the fewest, because the ring waits for that GPU
    for (const auto& [gpu, count] : links) least = std::min(least, count);
    facts.links = fmt::format("NV{}", least);
    facts.pairs = facts.nvlink_pairs = static_cast<int>(links.size());
    facts.other_kinds_of_links = !by_nvswitch;
    facts.nvlink_GBps = least * link_GBps(capability);
  } else if (facts.gpus > 1) {
    facts.links = "PHB";
  }
  for (std::size_t i = 0; i < tags.size(); ++i) {
    if (tags[i].name != "net") continue;
    const auto name = tags[i].attribute("name");
    add_adapter(topology, name, shares_switch(tags, static_cast<int>(i), gpus, switches));
    constexpr double Mbps_of_Gbps = 1000;
    const auto speed = parse_number(tags[i].attribute("speed"));
    if (speed && speed->value > 0 && std::isfinite(speed->value))
      facts.ports.push_back({name, kind_by_name(name), speed->value / Mbps_of_Gbps});
  }
  topology.notes.emplace_back("it looks like NCCL's topology; that does not tell InfiniBand from RoCE: ib is assumed");
  return topology;
}

/// Returns the id in a PCI type: "10de:2330" for "0302 [10de:2330] [10de:16c1] a1".
std::string pci_id(const std::string& pci_type) {
  const auto open = pci_type.find('[');
  const auto close = pci_type.find(']', open);
  return close == std::string::npos ? "" : pci_type.substr(open + 1, close - open - 1);
}

bool is_gpu_device(const XmlTag& tag) {
  const auto type = tag.attribute("pci_type");
  const auto id = pci_id(type);
  const bool shows =
      type.starts_with("0300") || type.starts_with("0302") || type.starts_with("0380") || type.starts_with("1200");
  return shows && (id.starts_with("10de:") || id.starts_with("1002:"));
}

/// Reads lstopo's XML. GPUs are PCI devices of NVIDIA and AMD, adapters are OpenFabrics devices.
Topology by_lstopo(const std::vector<XmlTag>& tags, const std::vector<Gpu>& catalogue) {
  Topology topology;
  std::vector<int> gpus;
  std::vector<std::string> names;
  std::set<int> bridges;
  std::map<std::string, int> packages;
  int cores = 0;
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto& tag = tags[i];
    const auto type = tag.attribute("type");
    if (type == "Bridge" && !tag.attribute("bridge_type").starts_with("0")) bridges.insert(static_cast<int>(i));
    if (type == "PU") ++cores;
    if (tag.name == "info" && tag.attribute("name") == "CPUModel") ++packages[tag.attribute("value")];
    if (type != "PCIDev" || !is_gpu_device(tag)) continue;
    gpus.push_back(static_cast<int>(i));
    const auto id = pci_id(tag.attribute("pci_type"));
    names.push_back(match_gpu(id, catalogue).gpu != nullptr ? id : tag.attribute("name"));
  }
  take_gpu(topology, names, catalogue);
  auto& facts = topology.facts;
  facts.cores = std::min(cores, most_cores_of_node);
  if (!packages.empty()) {
    const auto& [model, count] = *packages.begin();
    facts.cpu = count > 1 ? fmt::format("{}x {}", count, model) : model;
  }
  constexpr const char* open_fabrics = "3"; // the number by which hwloc calls this kind of device
  for (std::size_t i = 0; i < tags.size(); ++i) {
    const auto kind = tags[i].attribute("osdev_type");
    if (tags[i].attribute("type") == "OSDev" && (kind == open_fabrics || kind == "OpenFabrics"))
      add_adapter(topology, tags[i].attribute("name"), shares_switch(tags, static_cast<int>(i), gpus, bridges));
  }
  topology.notes.emplace_back("it looks like lstopo's XML, which does not say NVLink");
  return topology;
}

/// Returns the text without the codes that underline nvidia-smi's titles.
std::string without_escapes(const std::string& text) {
  std::string plain;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '\x1b') {
      plain += text[i];
      continue;
    }
    while (i < text.size() && (std::isalpha(static_cast<unsigned char>(text[i])) == 0)) ++i;
  }
  return plain;
}

bool is_near_word(const std::string& word) {
  return word == "PIX" || word == "PXB";
}

/// Whether the word is a GPU of the table, such as "GPU0", and not another word with the same beginning.
bool is_gpu_of_matrix(const std::string& word) {
  constexpr std::string_view mark = "GPU";
  return word.size() > mark.size() && word.starts_with(mark) &&
         std::all_of(word.begin() + mark.size(), word.end(), is_digit);
}

/// Reads the table of `nvidia-smi topo -m`, which has a line for each GPU and NIC, and the NICs' names below.
Topology by_matrix(const std::string& text) {
  Topology topology;
  read_gpu_topology(text, topology.facts);
  std::map<std::string, std::string> named; // names by label, such as "mlx5_0" for "NIC0"
  std::vector<std::string> rows;
  std::map<std::string, bool> is_near;
  std::size_t gpus = 0;
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() == 2 && words[0].starts_with("NIC") && words[0].ends_with(":"))
      named[words[0].substr(0, words[0].size() - 1)] = words[1];
    if (words.size() < 3) continue;
    const bool is_title = words[0] == "GPU0" && words[1] != "X";
    if (is_gpu_of_matrix(words[0]) && !is_title) ++gpus;
    if (words[0].starts_with("NIC") || words[0].starts_with("mlx") || words[0].starts_with("bnxt")) {
      rows.push_back(words[0]);
      for (std::size_t i = 1; i < words.size() && i <= gpus; ++i) is_near[words[0]] |= is_near_word(words[i]);
    }
  }
  topology.facts.gpus = static_cast<int>(std::min<std::size_t>(gpus, most_gpus_of_machine));
  for (const auto& row : rows) add_adapter(topology, named.count(row) > 0 ? named[row] : row, is_near[row]);
  topology.notes.emplace_back("it looks like the table of nvidia-smi topo -m, which does not name the GPU");
  return topology;
}

void say_what_is_open(Topology& topology) {
  const auto& facts = topology.facts;
  if (!topology.adapters.empty())
    topology.notes.push_back(fmt::format(
        "it shows {} NICs ({}), {} of them near a GPU{}", topology.adapters.size(), join_names(topology.adapters),
        topology.near.size(),
        facts.ports.empty() ? fmt::format(", and not their rate: say --network \"{}xRATE KIND\"",
                                          topology.near.empty() ? topology.adapters.size() : topology.near.size())
                            : ""));
}

} // namespace

Topology read_topology(const std::string& text, const std::vector<Gpu>& catalogue) {
  const auto plain = without_escapes(text);
  Topology topology;
  const auto tags = xml_tags(plain);
  const auto has_root = [&](const char* name) {
    return std::any_of(tags.begin(), tags.end(), [&](const XmlTag& tag) { return tag.name == name; });
  };
  if (has_root("topology"))
    topology = by_lstopo(tags, catalogue);
  else if (has_root("system"))
    topology = by_nccl(tags, catalogue);
  else
    topology = by_matrix(plain);
  if (topology.facts.gpus == 0)
    throw UserError("", "",
                    "no GPU found; give what `nvidia-smi topo -m` printed, the file of NCCL_TOPO_DUMP_FILE, or what "
                    "`lstopo --of xml` wrote");
  say_what_is_open(topology);
  return topology;
}

} // namespace ddlsim
