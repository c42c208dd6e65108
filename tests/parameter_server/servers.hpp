#pragma once
// Small parameter servers, and what is on them.

#include "sim/network/machine.hpp"
#include "sim/parameter_server/placement.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Servers on hosts of their own.
inline ServerMachine dedicated(int servers) {
  ServerMachine machine;
  machine.servers = servers;
  return machine;
}

/// Bytes on each server.
inline std::vector<double> server_loads(const std::vector<Shard>& shards, int servers) {
  std::vector<double> loads_bytes(static_cast<std::size_t>(servers), 0.0);
  for (const Shard& shard : shards) loads_bytes[static_cast<std::size_t>(shard.server)] += shard.size_bytes;
  return loads_bytes;
}

} // namespace ddlsim
