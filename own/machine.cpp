#include "own/machine.hpp"

#include "calibrate/import/imported.hpp"
#include "calibrate/import/plain_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <map>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr double most_gpus_seen = 1024;
constexpr double Mbps_a_Gbps = 1000;

/// A whole number from 1 to `most`, or 0.
int count_of(std::string_view text, double most) {
  const auto number = parse_number(text);
  const bool is_count =
      number && number->value >= 1 && number->value <= most && std::floor(number->value) == number->value;
  return is_count ? static_cast<int>(number->value) : 0;
}

double number_or_zero(std::string_view text) {
  const auto number = parse_number(text);
  return number ? number->value : 0;
}

/// A short file of sysfs, trimmed; "" when it cannot be read.
std::string sysfs_text(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return stream.bad() ? "" : std::string(trim(line));
}

/// Folders below one of sysfs, by name.
std::vector<fs::path> sysfs_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

/// "key=value" words of scontrol; "" where the key is missing.
std::string slurm_value(const std::vector<std::string>& words, const std::string& key) {
  for (const auto& word : words)
    if (word.starts_with(key + "=")) return word.substr(key.size() + 1);
  return "";
}

struct SlurmGpus {
  std::string type;
  int count = 0;
};

/// gpu:8, gpu:h100:8 and gpu:h100:8(S:0-1).
SlurmGpus slurm_gpus(std::string gres) {
  gres.erase(std::min(gres.size(), gres.find('(')));
  gres.erase(std::min(gres.size(), gres.find(',')));
  if (!gres.starts_with("gpu:")) return {};
  const auto first = gres.find(':');
  const auto last = gres.rfind(':');
  const auto type = last > first ? gres.substr(first + 1, last - first - 1) : "";
  return {type, count_of(gres.substr(last + 1), most_gpus_seen)};
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
    if (count <= facts.gpus || count > most_gpus_seen) continue;
    facts.gpus = count;
    facts.gpu = catalogue_gpu_name(name, catalogue);
  }
  if (counts.size() > 1)
    facts.unseen.emplace_back("nvidia-smi lists GPUs of several kinds: only the most frequent is taken");
}

void read_gpu_topology(const std::string& text, MachineFacts& facts) {
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() < 3 || words[0] != "GPU0" || words[1] != "X") continue; // the header begins alike
    for (std::size_t i = 1; i < words.size(); ++i)
      if (words[i] != "X" && !words[i].starts_with("GPU")) {
        facts.links = words[i].substr(0, 8);
        return;
      }
  }
}

void read_lscpu(const std::string& text, MachineFacts& facts) {
  std::map<std::string, std::string> said;
  for (const auto& line : split_lines(text)) {
    const auto colon = line.find(':');
    if (colon != std::string::npos)
      said.emplace(trim(line.substr(0, colon)), std::string(trim(line.substr(colon + 1))));
  }
  if (said["Model name"].empty()) return;
  const int sockets = count_of(said["Socket(s)"], most_gpus_seen);
  facts.cpu = sockets > 1 ? fmt::format("{}x {}", sockets, said["Model name"]) : said["Model name"];
}

void read_slurm_nodes(const std::string& text, const std::vector<Gpu>& catalogue, MachineFacts& facts) {
  std::map<std::pair<std::string, int>, int> nodes;
  SlurmGpus gpus;
  bool inside = false;
  const auto close = [&] {
    if (inside) ++nodes[{gpus.type, gpus.count}];
  };
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (!slurm_value(words, "NodeName").empty()) {
      close();
      inside = true;
      gpus = {};
    }
    if (const auto gres = slurm_value(words, "Gres"); !gres.empty()) gpus = slurm_gpus(gres);
  }
  close();
  for (const auto& [kind, count] : nodes) {
    if (count <= facts.nodes || (facts.gpus > 0 && kind.second != facts.gpus)) continue;
    facts.nodes = count;
    if (facts.gpus > 0) continue;
    facts.gpu = catalogue_gpu_name(kind.first, catalogue);
    facts.gpus = kind.second;
  }
  if (nodes.size() > 1)
    facts.unseen.push_back(
        fmt::format("scontrol lists nodes of {} kinds: the {} of one kind are taken", nodes.size(), facts.nodes));
}

void read_ports(const fs::path& sysfs, MachineFacts& facts) {
  std::vector<std::string> of_rdma; // whose Ethernet side is not a second port
  for (const auto& device : sysfs_folders(sysfs / "class" / "infiniband")) {
    for (const auto& net : sysfs_folders(device / "device" / "net")) of_rdma.push_back(net.filename().string());
    for (const auto& port : sysfs_folders(device / "ports")) {
      const auto words = split_words(sysfs_text(port / "rate")); // "400 Gb/sec (4X NDR)"
      const double rate_Gbps = words.empty() ? 0 : number_or_zero(words.front());
      const bool is_up = sysfs_text(port / "state").find("ACTIVE") != std::string::npos;
      if (rate_Gbps <= 0 || !is_up) continue;
      const bool ethernet = sysfs_text(port / "link_layer") == "Ethernet";
      facts.ports.push_back({device.filename().string(), ethernet ? "roce" : "ib", rate_Gbps});
    }
  }
  std::error_code ignored;
  for (const auto& net : sysfs_folders(sysfs / "class" / "net")) {
    const auto name = net.filename().string();
    if (!fs::exists(net / "device", ignored) || std::count(of_rdma.begin(), of_rdma.end(), name) > 0) continue;
    const double speed_Mbps = number_or_zero(sysfs_text(net / "speed")); // -1 when the driver does not know
    if (sysfs_text(net / "operstate") != "up") continue;
    if (speed_Mbps > 0) {
      facts.ports.push_back({name, "ethernet", speed_Mbps / Mbps_a_Gbps});
    } else {
      facts.unseen.push_back(fmt::format("the speed of {}, which is up: its driver does not say it", name));
    }
  }
}

MachineFacts machine_facts(const MachineTexts& texts, const fs::path& sysfs, const std::vector<Gpu>& catalogue) {
  MachineFacts facts;
  read_gpu_list(texts.nvidia_smi_list, catalogue, facts);
  read_gpu_topology(texts.nvidia_smi_topo, facts);
  read_lscpu(texts.lscpu, facts);
  read_slurm_nodes(texts.scontrol, catalogue, facts);
  read_ports(sysfs, facts);
  if (facts.gpus == 0)
    facts.unseen.emplace_back("GPUs: nvidia-smi is not here or lists none; say --gpu and --gpus-per-node");
  if (facts.gpus > 1 && facts.links.empty())
    facts.unseen.emplace_back("how GPUs reach each other: nvidia-smi topo -m said nothing");
  if (facts.cpu.empty()) facts.unseen.emplace_back("the processor: lscpu said nothing");
  if (facts.nodes == 0) facts.unseen.emplace_back("how many such nodes there are: scontrol is not here; say --nodes");
  if (facts.ports.empty()) facts.unseen.emplace_back("a network port that is up, with its speed; say --network");
  return facts;
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
