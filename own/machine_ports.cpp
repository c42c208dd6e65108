// Finds the network ports of this machine: in /sys, or by ibstat if a container hides /sys.
#include "import/plain_text.hpp"
#include "own/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <system_error>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

constexpr double Mbps_a_Gbps = 1000;

double number_or_zero(std::string_view text) {
  const auto number = parse_number(text);
  return number ? number->value : 0;
}

/// Returns the trimmed text of a short file in sysfs; "" if it cannot be read.
std::string sysfs_text(const fs::path& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return stream.bad() ? "" : std::string(trim(line));
}

/// The folders inside a folder of sysfs, by name.
std::vector<fs::path> sysfs_folders(const fs::path& folder) {
  std::vector<fs::path> found;
  std::error_code error;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error))
    found.push_back(it->path());
  std::sort(found.begin(), found.end());
  return found;
}

/// Returns the kind of a port. The system lists Amazon's adapters under InfiniBand, without a link layer.
std::string kind_of_port(const std::string& device, const std::string& link_layer) {
  if (device.starts_with("efa") || device.starts_with("rdmap")) return "efa";
  return link_layer == "Ethernet" ? "roce" : "ib";
}

} // namespace

void read_ports(const fs::path& sysfs, MachineFacts& facts) {
  std::vector<std::string> of_rdma; // RDMA devices, whose Ethernet interface is not a second port
  for (const auto& device : sysfs_folders(sysfs / "class" / "infiniband")) {
    for (const auto& net : sysfs_folders(device / "device" / "net")) of_rdma.push_back(net.filename().string());
    for (const auto& port : sysfs_folders(device / "ports")) {
      const auto words = split_words(sysfs_text(port / "rate")); // a text like "400 Gb/sec (4X NDR)"
      const double rate_Gbps = words.empty() ? 0 : number_or_zero(words.front());
      const bool is_up = sysfs_text(port / "state").find("ACTIVE") != std::string::npos;
      if (rate_Gbps <= 0 || !is_up) continue;
      const auto name = device.filename().string();
      facts.ports.push_back({name, kind_of_port(name, sysfs_text(port / "link_layer")), rate_Gbps});
    }
  }
  std::error_code ignored;
  for (const auto& net : sysfs_folders(sysfs / "class" / "net")) {
    const auto name = net.filename().string();
    if (!fs::exists(net / "device", ignored) || std::count(of_rdma.begin(), of_rdma.end(), name) > 0) continue;
    // the text is -1 if the driver does not know the speed
    const double speed_Mbps = number_or_zero(sysfs_text(net / "speed"));
    if (sysfs_text(net / "operstate") != "up") continue;
    if (speed_Mbps > 0) {
      facts.ports.push_back({name, "ethernet", speed_Mbps / Mbps_a_Gbps});
    } else {
      facts.unseen.push_back(fmt::format("the speed of {}, which is up: its driver does not say it", name));
    }
  }
}

void read_ibstat(const std::string& text, MachineFacts& facts) {
  const auto known = facts.ports; // ports from /sys, which have precedence
  std::string device;
  MachinePort port;
  bool is_up = false;
  const auto close = [&] {
    const bool is_new =
        std::none_of(known.begin(), known.end(), [&](const MachinePort& one) { return one.device == port.device; });
    if (!port.device.empty() && is_up && port.rate_Gbps > 0 && is_new) facts.ports.push_back(port);
    port = {};
    is_up = false;
  };
  for (const auto& line : split_lines(text)) {
    const auto words = split_words(line);
    if (words.size() < 2) continue;
    const bool is_adapter = words[0] == "CA" && words[1].starts_with('\'');
    if (is_adapter || words[0] == "Port") close();
    if (is_adapter) device = words[1].substr(1, words[1].find('\'', 1) - 1);
    if (words[0] == "Port" && words[1].ends_with(':')) port = {device, kind_of_port(device, "InfiniBand"), 0};
    if (words[0] == "State:") is_up = words[1] == "Active";
    if (words[0] == "Rate:") port.rate_Gbps = number_or_zero(words[1]);
    if (words[0] == "Link" && words.size() > 2) port.kind = kind_of_port(device, words[2]);
  }
  close();
}

} // namespace ddlsim
