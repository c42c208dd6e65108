#pragma once
// Hosts on one machine: a network namespace each, joined by a switch (a bridge in a namespace of its own), every link
// shaped to a rate in both directions.

#include "trainer/campaign/child.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {
struct LinkShape {
  double rate_Bps = 0;                   ///< one direction, of the frames (headers included)
  std::int64_t largest_packet_bytes = 0; ///< that the kernel hands to the link in one piece (GSO)
  std::int64_t burst_bytes = 0; ///< must hold the largest packet, else the kernel cuts every one, at 10 x the CPU
  std::int64_t queue_bytes = 0; ///< must hold an incast: hosts x socket buffer
};

/// Fills what is 0: packets of 16 KiB below 300 Mbit/s (64 KiB would take over 2 ms each), else of 64 KiB; a burst of
/// the packet with the headers of its frames. Measured at 1 Gbit/s: with smaller bursts one flow costs 0.85 of a core
/// instead of 0.07, and a ring of 4 hosts takes 1.5 times as long.
LinkShape complete(LinkShape shape);

/// Why network namespaces cannot be made here; "" when they can.
std::string no_network_because();

/// The hosts, from construction to destruction. Names carry this process's id and start time, so two runs do not meet
/// and what a killed run left behind can be told from what is in use.
class HostNetwork {
public:
  HostNetwork(std::int64_t hosts, const LinkShape& shape, const SignalWatch& signals);
  ~HostNetwork();
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  std::int64_t hosts() const { return hosts_; }
  /// Namespaces are called prefix + host: "ddltrain-812-99321-h0".
  const std::string& prefix() const { return prefix_; }
  /// A folder for temporary files that goes with the network.
  std::string folder() const;

private:
  void remove() const;
  void add_switch() const;
  void add_host(std::int64_t host, const LinkShape& shape) const;

  std::int64_t hosts_ = 0;
  std::string prefix_;
};

/// Removes namespaces and folders that a run of this program left when it was killed: those whose name carries the id
/// of a process that is no more. Returns how many namespaces.
int remove_leftovers();

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
