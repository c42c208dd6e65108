#pragma once
#include <cstdint>
#include <string>

namespace ddltrain {

/// What launching needs of platforms/NAME/cluster.json.
struct ClusterFacts {
  bool has_gpus = false;
  std::int64_t ranks_per_node = 1; ///< GPUs of a node, or what stands for them
  double nic_Bps = 0;              ///< of the first kind of NIC, one direction; 0: no NIC
  std::int64_t most_nodes = 0;     ///< by growth, else by what is available; 0: not said
};

/// Throws UsageError when the file cannot be read or lacks what is needed; `ddlsim check` says all that is wrong with
/// it.
ClusterFacts read_cluster_facts(const std::string& data_folder, const std::string& cluster);

/// "200 Mbps" -> 25e6 bytes/s; bps, kbps, Mbps, Gbps and B/s, kB/s, MB/s, GB/s. Throws UsageError.
double parse_rate_Bps(const std::string& text);

} // namespace ddltrain
