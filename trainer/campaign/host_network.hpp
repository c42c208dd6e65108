#pragma once
// Several hosts on one machine. Each is a network namespace, and a switch (a bridge in a namespace of its own) joins
// them. Every link is limited to a rate in both directions.

#include "trainer/campaign/child.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {

struct LinkShape {
  double rate_Bps = 0;                   ///< rate in one direction, of the frames with headers
  std::int64_t largest_packet_bytes = 0; ///< largest packet that the kernel hands to the link in one piece (GSO)
  /// size of a burst. It must hold the largest packet, or the kernel cuts every packet, which takes 10 times the
  /// processor time
  std::int64_t burst_bytes = 0;
  std::int64_t queue_bytes = 0; ///< size of a queue. It must hold an incast: hosts x socket buffer
};

/// Replaces values of 0. A packet has 16 KiB below 300 Mbit/s, where 64 KiB would take over 2 ms, else 64 KiB. A burst
/// holds the packet with the headers of its frames. Measured at 1 Gbit/s: with smaller bursts one flow takes 0.85 of a
/// core and not 0.07, and a ring of 4 hosts takes 1.5 times as long.
LinkShape complete(LinkShape shape);

/// Returns why network namespaces cannot be made here; "" when they can.
std::string no_network_because();

/// The hosts, which exist as long as the object. Names contain this process's id and start time, so that two runs never
/// meet, and leftovers of a killed run can be distinguished from what is in use.
class HostNetwork {
public:
  HostNetwork(std::int64_t hosts, const LinkShape& shape, const SignalWatch& signals);
  ~HostNetwork();
  HostNetwork(const HostNetwork&) = delete;
  HostNetwork& operator=(const HostNetwork&) = delete;

  std::int64_t hosts() const { return hosts_; }
  /// Beginning of the names of namespaces; with the host it is "ddltrain-812-99321-h0".
  const std::string& prefix() const { return prefix_; }
  /// Returns a folder for temporary files, which is removed with the network.
  std::string folder() const;

private:
  void remove() const;
  void add_switch() const;
  void add_host(std::int64_t host, const LinkShape& shape) const;

  std::int64_t hosts_ = 0;
  std::string prefix_;
};

/// Removes namespaces and folders that a killed run of this program left: those whose name has the id of a process that
/// no longer exists. Returns the number of removed namespaces.
int remove_leftovers();

/// Returns the names in /run/netns that begin with this text.
std::vector<std::string> namespaces_named(const std::string& prefix);

/// Kills every process in the namespace, and removes it. A namespace that does not exist is no error.
void remove_namespace(const std::string& name);

/// Returns the beginning of the names of everything that this process makes: "ddltrain-PID-START-".
std::string own_name_prefix();

/// Whether the name is one of this program's ("ddltrain-PID-START-...") and that process no longer exists.
bool is_left_over(const std::string& name);

/// Returns the folder in which folders with such names are.
std::string temporary_root();

} // namespace ddltrain
