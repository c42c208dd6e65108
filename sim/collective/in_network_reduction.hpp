#pragma once
// All-reduces that the switches between nodes sum (NVIDIA SHARP): what CollNet and NVLS across nodes share.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What a rank sends inside its node, as shares of the vector.
struct InsideShares {
  double out = 0;    ///< before the heads' sums leave the node
  double beside = 0; ///< while they are on their way
  double back = 0;   ///< with what has come back

  double all() const { return out + beside + back; }
};

/// What a rank sends in a node of so many.
using SharesInside = InsideShares (*)(int ranks_of_node);

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// Every GPU of a node sums one share of the vector (it is the share's head), the switches sum the heads' shares of all
/// nodes, and each head gives the sum to the others of its node. A node's NICs send S and receive S, whatever the
/// number of nodes. The port of the busiest GPU passes p S; p is the algorithm's. Chunks of c bytes follow each other:
///   T = 2 latency_intra + latency_net + c [ p/rate_intra + 1/rate_net ] + (S - c) max(p/rate_intra, 1/rate_net)
/// rate_net: a NIC, or a leaf's uplink where that is narrower than one: the switch of a leaf sends S up once. With one
/// GPU a node equal to the full run to 1e-6; tests/simgrid/formula_range.hpp has how far it is elsewhere. Throws
/// std::invalid_argument when a link in use has no rate.
double in_network_reduction_s(const Machine& machine, double size_bytes, SharesInside shares);

/// Every message of it.
Schedule in_network_schedule(const Machine& machine, double size_bytes, SharesInside shares);

/// How many they are, where a rank sends that many inside its node for each chunk.
double in_network_messages(const Machine& machine, double size_bytes, int operations, int of_rank_inside);

/// Bytes of one chunk, all heads of a node together: 128 KiB a head, to which NCCL halves its buffers where a message
/// has fewer than 64 chunks a channel (src/enqueue.cc of 2.18.3). NVLS has the same limit there.
double in_network_chunk_bytes(const Machine& machine, double size_bytes);

/// The node behind each on the fabric, the first behind the last: what a node sends to the switches is one message to
/// that node, so that every switch is left once, as it is when it sums.
std::vector<int> next_nodes(const Machine& machine);

// For the rows.

bool has_one_rank_a_node(const Machine& machine);
std::optional<std::string> why_chunks_have_no_symmetry(const Machine& machine);
double nic_bytes_of_vector(const Machine& machine, double wire_bytes);

/// Programs of a rank: to the heads, out of the node, into it, done.
inline constexpr int in_network_programs = 4;

} // namespace ddlsim
