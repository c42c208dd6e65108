#include "own/machine.hpp"

#include "import/imported.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/cluster.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace ddlsim {
namespace {

/// Returns the whole number from 1 to `most` that the text is; else 0.
int count_of(std::string_view text, double most) {
  const auto number = parse_number(text);
  const bool is_count =
      number && number->value >= 1 && number->value <= most && std::floor(number->value) == number->value;
  return is_count ? static_cast<int>(number->value) : 0;
}

} // namespace

void read_gpu_list(const std::string& text, const std::vector<Gpu>& catalogue, MachineFacts& facts) {
  std::map<std::string, int> counts;
  for (const auto& line : split_lines(text)) {
    const auto colon = line.find(": ");
    if (!line.starts_with("GPU ") || colon == std::string::npos) continue;
    const auto name = std::string(trim(line.substr(colon + 2, line.find(" (UUID") - colon - 2)));
    if (!name.empty()) ++counts[name];
  }
  for (const auto& [name, count] : counts) {
    if (count <= facts.gpus || count > most_gpus_of_machine) continue;
    facts.gpus = count;
    facts.gpu = catalogue_gpu_name(name, catalogue);
  }
  if (counts.size() > 1)
    facts.unseen.emplace_back("nvidia-smi lists GPUs of several kinds: only the most frequent is taken");
}

namespace {

/// Whether the word describes the link of two GPUs: NV and the number of links, or their distance on PCIe.
bool is_link_word(const std::string& word) {
  static const std::vector<std::string> by_pcie{"PIX", "PXB", "PHB", "NODE", "SYS"};
  return is_in(by_pcie, word) || (word.starts_with("NV") && count_of(word.substr(2), most_gpus_of_machine) > 0);
}

} // namespace

void read_gpu_topology(const std::string& text, MachineFacts& facts) {
  std::map<std::string, int> pairs;
  std::size_t gpus = 0;
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (!line.starts_with("GPU")) { // the indented line is the header
      if (gpus == 0)
        for (const auto& word : words) gpus += word.starts_with("GPU") ? 1 : 0;
      continue;
    }
    for (std::size_t i = 1; i < words.size() && i <= gpus; ++i)
      if (is_link_word(words[i])) ++pairs[words[i]];
  }
  for (const auto& [word, count] : pairs)
    if (facts.links.empty() || count > pairs[facts.links]) facts.links = word;
  for (const auto& [word, count] : pairs) facts.nvlink_pairs += word.starts_with("NV") ? count : 0;
  facts.other_kinds_of_links = pairs.size() > 1;
  for (const auto& [word, count] : pairs) facts.pairs += count;
}

void read_nvlink_rates(const std::string& text, MachineFacts& facts) {
  std::map<int, double> rates_GBps; // rate by GPU
  int gpu = -1;
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() < 2) continue;
    if (words[0] == "GPU") ++gpu;
    // the line "Link 0: 26.562 GB/s" states one direction of one link
    if (words.size() < 4 || words[0] != "Link" || !words[3].starts_with("GB/s") || gpu < 0) continue;
    if (const auto rate = parse_number(words[2]); rate && rate->value > 0) rates_GBps[gpu] += rate->value;
  }
  for (const auto& [number, rate_GBps] : rates_GBps) // the slowest rate, because all GPUs wait for it
    facts.nvlink_GBps = facts.nvlink_GBps == 0 ? rate_GBps : std::min(facts.nvlink_GBps, rate_GBps);
}

void read_lstopo(const std::string& text, MachineFacts& facts) {
  for (const auto& line : split_lines(text)) {
    if (line.find("(3D)") != std::string::npos) ++facts.controllers;
    const auto begin = line.find("OpenFabrics \"");
    if (begin == std::string::npos) continue;
    const auto from = line.find('"', begin) + 1;
    facts.adapters.push_back(line.substr(from, line.find('"', from) - from));
  }
}

void read_lscpu(const std::string& text, MachineFacts& facts) {
  std::map<std::string, std::string> fields;
  for (const auto& line : split_lines(text)) {
    const auto colon = line.find(':');
    if (colon != std::string::npos)
      fields.emplace(trim(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))));
  }
  facts.cores = count_of(fields["CPU(s)"], most_cores_of_node);
  if (fields["Model name"].empty()) return;
  const int sockets = count_of(fields["Socket(s)"], most_gpus_of_machine);
  facts.cpu = sockets > 1 ? fmt::format("{}x {}", sockets, fields["Model name"]) : fields["Model name"];
}

namespace {

void say_what_is_unseen(MachineFacts& facts) {
  auto& unseen = facts.unseen;
  if (facts.gpus == 0 && facts.controllers > 0)
    unseen.push_back(fmt::format("GPUs: lstopo shows {} 3D controllers, but nvidia-smi lists none (is the driver "
                                 "loaded?); say --gpu and --gpus-per-node",
                                 facts.controllers));
  if (facts.gpus == 0 && facts.controllers == 0)
    unseen.emplace_back("GPUs: nvidia-smi is not here or lists none; say --gpu and --gpus-per-node");
  if (facts.gpus > 1 && facts.links.empty())
    unseen.emplace_back("how GPUs reach each other: nvidia-smi topo -m said nothing");
  if (facts.cpu.empty()) unseen.emplace_back("the processor: lscpu said nothing");
  for (const auto& adapter : facts.adapters) {
    const bool is_port = std::any_of(facts.ports.begin(), facts.ports.end(),
                                     [&](const MachinePort& port) { return port.device == adapter; });
    if (!is_port)
      unseen.push_back(fmt::format("the rate of {}, which lstopo shows: it is down, or neither /sys nor ibstat says it",
                                   in_quotes(adapter)));
  }
  if (facts.ports.empty()) unseen.emplace_back("a network port that is up, with its speed; say --network");
}

} // namespace

MachineFacts machine_facts(const MachineTexts& texts, const std::filesystem::path& sysfs,
                           const std::vector<Gpu>& catalogue) {
  MachineFacts facts;
  read_gpu_list(texts.nvidia_smi_list, catalogue, facts);
  read_gpu_topology(texts.nvidia_smi_topo, facts);
  read_nvlink_rates(texts.nvidia_smi_nvlink, facts);
  read_lscpu(texts.lscpu, facts);
  read_lstopo(texts.lstopo, facts);
  read_ports(sysfs, facts);
  read_ibstat(texts.ibstat, facts);
  say_what_is_unseen(facts);
  return facts;
}

std::string links_of(const MachineFacts& facts) {
  // The share of NVLink's rate that is reached inside a node. The shipped clusters' files have 126 of 150 GB/s on V100,
  // 240 of 300 on A100 and 370.8 of 450 on H100. The latency is that of a hop as NCCL counts it from 2.18 on.
  constexpr double reached_share = 0.8;
  if (facts.nvlink_GBps == 0 || facts.nvlink_pairs == 0) return "";
  const bool all_alike = facts.nvlink_pairs == facts.pairs && !facts.other_kinds_of_links;
  return fmt::format("{} {:.4g} GB/s 0.6 us", all_alike && facts.gpus > 2 ? "nvswitch" : "nvlink-mesh",
                     reached_share * facts.nvlink_GBps);
}

std::vector<std::string> networks_of(const MachineFacts& facts) {
  std::map<std::pair<double, std::string>, int, std::greater<>> ports;
  for (const auto& port : facts.ports) ++ports[{port.rate_Gbps, port.kind}];
  std::vector<std::string> networks;
  for (const auto& [kind, count] : ports)
    networks.push_back(fmt::format("{}x{:g} Gbps {}", count, kind.first, kind.second));
  return networks;
}

} // namespace ddlsim
