#pragma once
// All-reduces in which the switches between nodes sum (NVIDIA SHARP): code that CollNet and NVLS across nodes share.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// The bytes that a rank sends inside its node, divided by the bytes of the vector.
struct InsideShares {
  double out = 0;    ///< sent before the heads' sums leave the node
  double beside = 0; ///< sent while the heads' sums travel between nodes
  double back = 0;   ///< sent after the sums of all nodes have come back

  double all() const { return out + beside + back; }
};

/// Returns the shares that a rank sends in a node of `ranks_of_node` ranks.
using SharesInside = InsideShares (*)(int ranks_of_node);

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// Every GPU of a node sums one share of the vector (it is the share's head), the switches sum the heads' shares of all
/// nodes, and each head sends the sum to the other GPUs of its node. A node's NICs send S and receive S, for any number
/// of nodes. The port of the busiest GPU passes p S; p depends on the algorithm. Chunks of c bytes follow each other:
///   T = 2 latency_intra + latency_net + c [ p/rate_intra + 1/rate_net ] + (S - c) max(p/rate_intra, 1/rate_net)
/// rate_net is the rate of a NIC, or of a leaf's uplink where that is narrower: the switch of a leaf sends S up once.
/// With one GPU a node the formula equals the full run to 1e-6; tests/simgrid/formula_range.hpp has its error
/// elsewhere. Throws std::invalid_argument when a link in use has no rate.
double in_network_reduction_s(const Machine& machine, double size_bytes, SharesInside shares);

/// The schedule of all messages of one such all-reduce.
Schedule in_network_schedule(const Machine& machine, double size_bytes, SharesInside shares);

/// Number of messages of one all-reduce in which a rank sends `of_rank_inside` messages inside its node for each chunk.
double in_network_messages(const Machine& machine, double size_bytes, int operations, int of_rank_inside);

/// Bytes of one chunk, all heads of a node together. A head's chunk is 128 KiB: NCCL halves its buffers to that where a
/// message has fewer than 64 chunks a channel (src/enqueue.cc of 2.18.3). NVLS has the same limit there.
double in_network_chunk_bytes(const Machine& machine, double size_bytes);

/// The next node on the fabric for each node; the first one follows the last. SimGrid simulates a node's message to the
/// switches as one message to its next node. So every switch sends each message once, as it does when it sums.
std::vector<int> next_nodes(const Machine& machine);

// Functions that the rows of the table share.

bool has_one_rank_a_node(const Machine& machine);
std::optional<std::string> why_chunks_have_no_symmetry(const Machine& machine);
double nic_bytes_of_vector(const Machine& machine, double wire_bytes);

/// Number of programs that a rank runs in parallel: to the heads, out of the node, into it, and the end.
inline constexpr int in_network_programs = 4;

} // namespace ddlsim
