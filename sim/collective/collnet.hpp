#pragma once
// All-reduce whose sums are made by the switches between nodes (NVIDIA SHARP): NCCL's CollNet, and its NVLS across
// nodes, which sums inside a node in the NVLink switch.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <vector>

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// Inside a node every GPU sums one share of the vector (a head, CollNet Direct), the switches sum the heads' shares of
/// all nodes, and each head gives its sum to the others of its node. With g ranks a full node a GPU sends S (g-1)/g to
/// the heads and as much as a head; a node's NICs send S and receive S, whatever the number of nodes. Chunks of c bytes
/// follow each other:
///   T = 2 latency_intra + latency_net + c [ 2 (g-1)/g/rate_intra + 1/rate_net ]
///     + (S - c) max(2 (g-1)/g/rate_intra, 1/rate_net)
/// rate_net: a NIC, or a leaf's uplink where that is narrower than one: the switch of a leaf sends S up once. NCCL's
/// CollNet Chain, without an NVSwitch, goes through the node's GPUs one after another and passes up to 2 S through a
/// port; it is taken as Direct, with its own latency (sim/library/sum_rules.hpp). Without ranks beside each other in a
/// node equal to the full run to 1e-6. Elsewhere: see the row's gap. Throws std::invalid_argument when a link in use
/// has no rate.
double collnet_all_reduce_s(const Machine& machine, double size_bytes);

/// Bytes of one chunk, all heads of a node together: 128 KiB a head, to which NCCL halves its buffers where a message
/// has fewer than 64 chunks a channel (src/enqueue.cc of 2.18.3).
double collnet_chunk_bytes(const Machine& machine, double size_bytes);

/// The node behind each on the fabric, the first behind the last: what a node sends to the switches is one message to
/// that node, so that every switch is left once, as it is when it sums.
std::vector<int> next_nodes(const Machine& machine);

/// Every message of it.
Schedule collnet_schedule(const Machine& machine, double size_bytes);

/// Time of one all-reduce that the NVLink switches and the switches between nodes sum: as above, but that a port passes
/// S (1 + 1/g) as in sim/collective/nvls.hpp, half of it before the heads' sums leave the node:
///   T = 2 latency_intra + latency_net + c [ (1 + 1/g)/rate_intra + 1/rate_net ] + (S - c) max((1 + 1/g)/rate_intra,
///   1/rate_net)
/// Chunks are CollNet's: NCCL's own limit is 128 KiB a head too (src/enqueue.cc of 2.18.3).
double nvls_sharp_all_reduce_s(const Machine& machine, double size_bytes);

/// Every message of it.
Schedule nvls_sharp_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
