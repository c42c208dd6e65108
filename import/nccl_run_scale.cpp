#include "import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ddlsim {
namespace {

/// The devices that are listed under one host name.
struct NamedHost {
  int most_alike = 0;      ///< largest number of devices with the same number and address
  bool one_number = true;  ///< whether every process numbers its GPU 0
  bool one_address = true; ///< whether all have the same address
  bool whole_address = true;
};

/// Whether the address is complete, as "0000:06:00" is. "0x06" is only the bus, which GPUs of different PCI domains
/// share, and zeros are no address.
bool is_whole_address(const std::string& bus) {
  return bus.find(':') != std::string::npos && bus.find_first_not_of("0x:.") != std::string::npos;
}

NamedHost look_at(const std::vector<const NcclDevice*>& devices) {
  NamedHost host;
  std::map<std::pair<int, std::string>, int> alike;
  for (const auto* device : devices) {
    host.most_alike = std::max(host.most_alike, ++alike[{device->number, device->bus}]);
    host.one_number = host.one_number && device->number == 0;
    host.one_address = host.one_address && device->bus == devices.front()->bus;
    host.whole_address = host.whole_address && is_whole_address(device->bus);
  }
  return host;
}

/// Counts the machines behind the host names. A GPU is in a communicator once, so an address that occurs twice under
/// one host name means two machines with that name (containers). If every process shows the same GPU
/// (CUDA_VISIBLE_DEVICES), addresses say nothing. Then each host name counts as a machine; with a single host name the
/// number stays open.
int count_nodes(const std::vector<NcclDevice>& devices, int group, std::string& question) {
  std::map<std::string, std::vector<const NcclDevice*>> hosts;
  for (const auto& device : devices)
    if (device.group == group) hosts[device.host].push_back(&device);
  int nodes = 0;
  for (const auto& [name, of_host] : hosts) {
    const auto host = look_at(of_host);
    const bool hosts_known =
        host.whole_address ? !(host.one_number && host.one_address) : !host.one_number && !host.one_address;
    const bool by_names = hosts.size() > 1 && !host.whole_address;
    nodes += hosts_known && !by_names ? host.most_alike : 1;
    if (host.most_alike > 1 && !hosts_known && !by_names)
      question = fmt::format("found {} ranks on host {} that all show a GPU at {}, as GPUs of one node do that are "
                             "alone in their processes, and as nodes do that share a name; say --set nodes=N",
                             of_host.size(), in_quotes(name), in_quotes(of_host.front()->bus));
  }
  return nodes;
}

/// Checks that a text log lists every rank exactly once.
std::string rank_mistake(const std::vector<NcclDevice>& devices) {
  std::set<int> ranks;
  for (const auto& device : devices) {
    if (!ranks.insert(device.rank).second) {
      return fmt::format(
          "found rank {} twice in one device list, expected one run: programs built without MPI ran side by side; "
          "build nccl-tests with MPI=1",
          device.rank);
    }
  }
  int expected = 0;
  for (const int rank : ranks) {
    if (rank != expected++) {
      return fmt::format("found a device list without rank {}, expected all; mend the log, or say the number with "
                         "--set ranks=N",
                         expected - 1);
    }
  }
  return "";
}

void read_devices(const NcclTable& table, NcclScale& scale) {
  std::map<int, int> group_sizes;
  std::set<std::string> names;
  for (const auto& device : table.devices) {
    ++group_sizes[device.group];
    names.insert(device.name);
  }
  const bool listed_whole = table.ranks == 0; // JSON lists one device for each process, and states the ranks separately
  const int ranks = listed_whole ? static_cast<int>(table.devices.size()) : table.ranks;
  scale.communicators = static_cast<int>(group_sizes.size());
  scale.ranks = ranks / scale.communicators;
  scale.nodes = count_nodes(table.devices, group_sizes.begin()->first, scale.question);
  if (names.size() == 1) scale.device = *names.begin();
  if (listed_whole) scale.mistake = rank_mistake(table.devices);
  for (const auto& [group, size] : group_sizes) {
    if (size != group_sizes.begin()->second) {
      scale.mistake = fmt::format("found communicators of {} and {} ranks side by side, expected equal ones",
                                  group_sizes.begin()->second, size);
    }
  }
}

} // namespace

NcclScale scale_of(const NcclTable& table) {
  NcclScale scale;
  if (!table.devices.empty()) read_devices(table, scale);
  const auto& debug = table.debug;
  if (debug.ranks > 0 && scale.ranks > 0 && debug.ranks != scale.ranks && scale.mistake.empty())
    scale.mistake = fmt::format("the device list has {} ranks, but NCCL's debug text says nranks {}; mend the log, or "
                                "say the number with --set ranks=N",
                                scale.ranks, debug.ranks);
  if (scale.ranks == 0) scale.ranks = debug.ranks;
  if (debug.nodes > 0 && debug.nodes <= scale.ranks) {
    scale.nodes = debug.nodes;
    scale.question.clear();
  }
  return scale;
}

} // namespace ddlsim
