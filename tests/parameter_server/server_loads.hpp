#pragma once

#include "sim/parameter_server/placement.hpp"

#include <cstddef>
#include <vector>

namespace ddlsim {

/// Bytes on each server.
inline std::vector<double> server_loads(const std::vector<Shard>& shards, int servers) {
  std::vector<double> loads_bytes(static_cast<std::size_t>(servers), 0.0);
  for (const Shard& shard : shards) loads_bytes[static_cast<std::size_t>(shard.server)] += shard.size_bytes;
  return loads_bytes;
}

} // namespace ddlsim
