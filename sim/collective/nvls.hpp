#pragma once
// All-reduce in which the switches of an NVLink domain sum (NVLink SHARP): NCCL's NVLS in one domain, its NVLSTree
// across several.

#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

namespace ddlsim {

/// Time of one such all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// Every rank is the head of one share of the vector, S/g with g ranks a full node. It reads the sum of all ranks'
/// shares from the switch, and writes it to all ranks at once through the switch. So a rank's port passes, each way, S
/// because its vector is read and written, and S/g because it is a head: S (1 + 1/g). NCCL sets up channels by this
/// count (NVIDIA/nccl src/graph/search.cc, ncclTopoSearchTryNvls). On one node:
///   T = 2 latency_intra + S (1 + 1/g)/rate_intra
/// Between nodes every head sends its share through the double tree of sim/collective/tree.hpp, and all heads of a node
/// share its NICs. With N nodes, L = ceil(log2 N) levels, chunks of c bytes, and a NIC that passes share(N) S:
///   T = 2 latency_intra + 2L latency_net + c [ 2 (1 + 1/g)/rate_intra + 2L share(N)/rate_net ]
///     + (S - 2c) max((1 + 1/g)/rate_intra, share(N)/rate_net)
/// Its cost (sim/library/collective_cost.hpp) has the share of rate_intra that NVLS reaches, and its latencies.
/// On one node the formula equals the full run to 1e-6; tests/simgrid/formula_range.hpp has its error on several.
/// Throws std::invalid_argument when a link in use has no rate.
double nvls_all_reduce_s(const Machine& machine, double size_bytes);

/// Bytes of one chunk of a tree, all heads of a node together: NCCL's 128 KiB a head, 64 KiB from 4 nodes on
/// (src/transport/nvls.cc and src/enqueue.cc of 2.23.4), here with one channel a tree.
double nvls_chunk_bytes(const Machine& machine, double size_bytes);

/// Number of chunks that each tree carries, at least one.
int nvls_chunks(const Machine& machine, double size_bytes);

/// The schedule of all messages of one such all-reduce. A rank's message into the switch is simulated as one message
/// to the next rank of its node, so that every port passes the right number of bytes, half of them before the tree and
/// half after it.
Schedule nvls_schedule(const Machine& machine, double size_bytes);

} // namespace ddlsim
