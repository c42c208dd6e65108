#pragma once
// The rate of a node's NICs: what the wire carries, and what of it software, sockets and sharing leave. No other source
// multiplies or divides the rate of a NIC, or of an uplink, which is so many cables of a NIC's rate (tests/style.sh).

#include "sim/formats/cluster.hpp"

#include <limits>

namespace ddlsim {

/// What all ports of the NIC carry together, one direction.
double line_Bps(const Nic& nic);

/// What changes the rate of a NIC. A field that is left out has no effect.
struct NicUse {
  double efficiency = 1; ///< reached over line rate; or of a library's protocol, data over all that it sends
  double socket_Bps = std::numeric_limits<double>::infinity(); ///< what the node's processors copy at most
  double link_spread = 0; ///< standard deviation of nodes' rates, as a share: who waits for all waits for the slowest
  int nodes = 1;          ///< that wait for each other
  double joined = 1; ///< NICs, or cables of their rate, that carry one traffic together; below 1: a part of one NIC
  double slow_factor = 1;   ///< what a slow node's NIC reaches of the others'
  double duplex = 1;        ///< share left each way while both ways are busy; 1 or more: all of it
  double other_traffic = 0; ///< share that the traffic of others takes
  double sharers = 1;       ///< ranks, groups, flows or messages that pass the NIC at once: each gets an equal part
  double ceiling_Bps =
      std::numeric_limits<double>::infinity(); ///< of one of these: its connection, or its path to the NIC
};

/// What one of the sharers reaches, or the node where nobody shares:
/// min(ceiling, joined x min(line rate x efficiency, sockets) x slow factor x min(1, duplex) x (1 - other traffic)
///              / (1 + spread x E[largest of N normals]) / sharers).
double nic_rate_Bps(const Nic& nic, const NicUse& use);

/// The same of a NIC or an uplink of a known rate, that something else has bent before.
double nic_rate_Bps(double rate_Bps, const NicUse& use);

} // namespace ddlsim
