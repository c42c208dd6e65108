#pragma once
// The rate of a node's NICs: what the wire carries, and what of it software, sockets and sharing leave.

#include "sim/formats/cluster.hpp"

#include <limits>

namespace ddlsim {

/// What all ports of the NIC carry together, one direction.
double line_Bps(const Nic& nic);

/// What bends that rate.
struct NicUse {
  double efficiency = 1;                                       ///< reached over line rate
  double socket_Bps = std::numeric_limits<double>::infinity(); ///< what the node's processors copy at most
  double link_spread = 0; ///< standard deviation of nodes' rates, as a share: who waits for all waits for the slowest
  int nodes = 1;          ///< that wait for each other
  int joined_nodes = 1;   ///< whose NICs carry one domain's traffic together
  int ranks = 1;          ///< whose messages each pass the NIC by themselves and share it
};

/// What one rank's messages reach, or a node's where its ranks share nothing:
/// joined x min(line rate x efficiency, sockets) / (1 + spread x E[largest of N normals]) / ranks.
double nic_rate_Bps(const Nic& nic, const NicUse& use);

} // namespace ddlsim
