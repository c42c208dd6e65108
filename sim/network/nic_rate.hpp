#pragma once
// The rate of a node's NICs: that of the wire, reduced by software, sockets and sharing. No other source multiplies or
// divides the rate of a NIC or of an uplink, which is a number of cables with a NIC's rate (tests/style.sh checks it).

#include "sim/formats/cluster.hpp"

#include <limits>

namespace ddlsim {

/// Line rate of all ports of the NIC together, one direction.
double line_Bps(const Nic& nic);

/// Influences on the rate of a NIC. A field with its default has no effect.
struct NicUse {
  double efficiency = 1; ///< reached rate over line rate; or bytes of data over all bytes that a protocol sends
  double socket_Bps = std::numeric_limits<double>::infinity(); ///< highest rate at which the node's processors copy
  double link_spread = 0; ///< standard deviation of the nodes' rates over their mean; all nodes wait for the slowest
  int nodes = 1;          ///< number of nodes that wait for each other
  double joined =
      /// number of NICs, or of cables with a NIC's rate, that carry the traffic together; below 1: a part of one NIC
      1;
  double slow_factor = 1;   ///< rate of a slow node's NIC over that of other nodes
  double duplex = 1;        ///< share of the rate that each direction has while both are busy; 1 or more: all of it
  double other_traffic = 0; ///< share of the rate that other jobs take
  double sharers = 1; ///< number of ranks, groups, flows or messages that pass the NIC at once; each gets an equal part
  double ceiling_Bps =
      /// highest rate of one of the sharers, by its connection or its path to the NIC
      std::numeric_limits<double>::infinity();
};

/// Rate of one of the sharers, or of the node if there is only one:
/// min(ceiling, joined x min(line rate x efficiency, sockets) x slow factor x min(1, duplex) x (1 - other traffic)
///              / (1 + spread x E[largest of N normals]) / sharers).
double nic_rate_Bps(const Nic& nic, const NicUse& use);

/// The same formula for a NIC or an uplink whose rate is known. Other influences may have reduced it already.
double nic_rate_Bps(double rate_Bps, const NicUse& use);

} // namespace ddlsim
