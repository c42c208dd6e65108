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

/// Names in /run/netns that begin so.
std::vector<std::string> namespaces_named(const std::string& prefix);

/// Kills every process in the namespace and removes it. One that is not there is no mistake.
void remove_namespace(const std::string& name);

/// Begins the names of everything that the running process makes: "ddltrain-PID-START-".
std::string own_name_prefix();

/// True when the name is one of this program's ("ddltrain-PID-START-...") and that process is no more.
bool is_left_over(const std::string& name);

/// Where folders of such names lie.
std::string temporary_root();

} // namespace ddltrain
