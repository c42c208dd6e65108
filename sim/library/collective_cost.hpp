#pragma once
// What one collective costs its links: the record that the formula and SimGrid both start from.

#include "sim/library/library_rules.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// How the library runs one collective, and what its protocol makes of the message, of each hop, and of the rate of the
/// links that it passes. Where the bytes go is the algorithm's (sim/collective).
struct CollectiveCost {
  CollectiveKind collective;
  Protocol protocol = Protocol::none;
  double wire_bytes = 0;      ///< of the whole vector as it travels
  double intra_latency_s = 0; ///< a hop inside a node
  double net_latency_s = 0;   ///< a hop from node to node
  double intra_share = 1;     ///< of the rate of a link inside a node that its messages reach
  double net_share = 1;       ///< the same of a NIC, and of links between switches

  bool operator==(const CollectiveCost&) const = default;
};

/// The cost of a collective of `size_bytes` among the machine's ranks, by that protocol; the job is read for NCCL only.
/// - Bytes: LL sends 8 for 4, LL128 128 for 120.
/// - Latency: a machine's delays are those of NCCL's LL, or of a library without protocols. Simple and LL128 add what
///   NCCL 2.8.4 counts more for a hop (src/graph/tuning.cc), NVLS what 2.28.3 counts more: 25 us through the switch and
///   back, 14 us for a hop of its tree, 18 us to the switches between nodes that sum. CollNet adds what 2.23.4 counts:
///   31 us to the switches between nodes and back.
/// - Rate: in NCCL's double tree chunks wait for each other and leave links idle. It reaches 0.92 of a link times a
///   share by size and protocol, 0.4 to 1, which NVIDIA fitted to V100 and A100 (treeCorrectionFactor of 2.8.4). NVLS
///   reaches its efficiency of a port.
CollectiveCost cost_of(const Machine& machine, const CollectiveKind& collective, Protocol protocol, const NcclJob& job,
                       double size_bytes);

/// The same by the algorithm and the protocol that the library takes for that size.
CollectiveCost cost_of(const Machine& machine, const AlgorithmChooser& chooser, double size_bytes);
CollectiveCost cost_of(const Machine& machine, const LibraryRules& rules, double size_bytes);

/// The machine's links as the messages of that collective meet them.
Machine links_of(const Machine& machine, const CollectiveCost& cost);

/// Seconds of one collective by its formula, alone on its links.
double formula_s(const Machine& machine, const CollectiveCost& cost);

} // namespace ddlsim
