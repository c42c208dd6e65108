#include "import/nccl_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

namespace ddlsim {
namespace {

/// Machines behind the host names. NCCL refuses one GPU twice in a communicator, so an address that a host name has
/// twice means two machines with that name (containers).
int count_nodes(const std::vector<NcclDevice>& devices, int group) {
  std::map<std::string, std::map<std::string, int>> on_bus_of_host;
  for (const auto& device : devices)
    if (device.group == group) ++on_bus_of_host[device.host][device.bus];
  int nodes = 0;
  for (const auto& [host, on_bus] : on_bus_of_host) {
    const bool addresses = on_bus.count("") == 0 &&
                           (on_bus.size() > 1 || on_bus.begin()->first.find_first_not_of("0x:") != std::string::npos);
    int most = 1;
    for (const auto& [bus, count] : on_bus) most = std::max(most, addresses ? count : 1);
    nodes += most;
  }
  return nodes;
}

/// Text logs name every rank: none twice, none missing.
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

} // namespace

NcclScale scale_of(const NcclTable& table) {
  NcclScale scale;
  if (table.devices.empty()) return scale;
  std::map<int, int> group_sizes;
  std::set<std::string> names;
  for (const auto& device : table.devices) {
    ++group_sizes[device.group];
    names.insert(device.name);
  }
  const bool listed_whole = table.ranks == 0; // JSON lists one device a process and says the ranks beside
  const int ranks = listed_whole ? static_cast<int>(table.devices.size()) : table.ranks;
  scale.communicators = static_cast<int>(group_sizes.size());
  scale.ranks = ranks / scale.communicators;
  scale.nodes = count_nodes(table.devices, group_sizes.begin()->first);
  if (names.size() == 1) scale.device = *names.begin();
  if (listed_whole) scale.mistake = rank_mistake(table.devices);
  for (const auto& [group, size] : group_sizes) {
    if (size != group_sizes.begin()->second) {
      scale.mistake = fmt::format("found communicators of {} and {} ranks side by side, expected equal ones",
                                  group_sizes.begin()->second, size);
    }
  }
  return scale;
}

} // namespace ddlsim
