#pragma once
// The cost of one collective on its links: the record that both the formula and SimGrid start from.

#include "sim/library/library_rules.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// How the library runs one collective: the bytes on the wire, the latency of each hop, and the share of the links'
/// rate that messages reach. The algorithm (sim/collective) decides which links the bytes pass.
struct CollectiveCost {
  CollectiveKind collective;
  Protocol protocol = Protocol::none;
  double wire_bytes = 0;      ///< bytes of the whole vector on the wire
  double intra_latency_s = 0; ///< latency of a hop inside a node
  double net_latency_s = 0;   ///< latency of a hop from node to node
  double intra_share = 1;     ///< share of the rate of a link inside a node that messages reach
  double net_share = 1;       ///< share of the rate of a NIC, and of a link between switches, that messages reach

  bool operator==(const CollectiveCost&) const = default;
};

/// The cost of a collective of `size_bytes` among the machine's ranks, by that protocol; the job is read for NCCL only.
/// - Bytes: LL sends 8 bytes for 4, LL128 sends 128 for 120.
/// - Latency: a machine's delays are those of NCCL's LL, or of a library without protocols. Simple and LL128 add the
///   difference to LL that NCCL 2.8.4 counts for a hop (src/graph/tuning.cc). CollNet adds 31 us to the switches between
///   nodes and back, as 2.23.4 counts.
/// - Rate: in NCCL's double tree chunks wait for each other and leave links idle. It reaches 0.92 of a link times a
///   share by size and protocol, 0.4 to 1, which NVIDIA fitted to V100 and A100 (treeCorrectionFactor of 2.8.4).
/// GPUs on NVLink from Ampere on take the latencies and rates of sim/library/node_timing.hpp instead. Between nodes
/// L is the latency of all hops and x the time of the bytes. One ramp stands for the protocols:
///   T = L (1 + 2.8 x / (x + 0.23 L)) + x
/// Its two numbers are fits to two-node tables of Hopper and Blackwell (Nebius, Lambda, GCP A4, AWS p5, in platforms/).
/// Between NVLink domains of several nodes NCCL's channels limit the rate, since a domain has more NICs than channels.
CollectiveCost cost_of(const Machine& machine, const CollectiveKind& collective, Protocol protocol, const NcclJob& job,
                       double size_bytes);

/// The cost with the algorithm and the protocol that the library chooses for that size.
CollectiveCost cost_of(const Machine& machine, const AlgorithmChooser& chooser, double size_bytes);
CollectiveCost cost_of(const Machine& machine, const LibraryRules& rules, double size_bytes);

/// Returns the machine with the latencies and rates that the messages of that collective get.
Machine links_of(const Machine& machine, const CollectiveCost& cost);

/// Time of one collective by its formula when nothing else uses the links, seconds.
double formula_s(const Machine& machine, const CollectiveCost& cost);

/// Whether the job's GPUs have a timing of their own in sim/library/node_timing.hpp.
bool is_timed(const LibraryRules& rules);

/// Time of an all-to-all among the machine's ranks, seconds: by the generation's timing over NCCL on one NVLink domain,
/// else by sim/collective/all_to_all.hpp.
double exchange_s(const Machine& machine, const LibraryRules& rules, double size_bytes);

/// Time of an operation with the software that starts it, seconds. NCCL's operations are queued on the GPU: a processor
/// issues one while another runs, so with a timing of the GPUs' generation `start_s` is the least time between two.
/// Elsewhere both times add up: over other libraries a rank starts an operation and waits for it, and NCCL's own
/// constants, which time older GPUs and PCIe, leave out what a kernel takes to start.
double started_s(const LibraryRules& rules, double start_s, double transfer_s);

} // namespace ddlsim
