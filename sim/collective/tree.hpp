#pragma once
// Double binary tree all-reduce: two complementary trees each carry half of the bytes up to the root and down again
// (Sanders, Speck, Traeff, Parallel Computing 35, 2009; NCCL since 2.4).

#include "sim/collective/class_schedule.hpp"
#include "sim/collective/schedule.hpp"
#include "sim/network/machine.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Time of one double-tree all-reduce of `size_bytes`, seconds; 0 for one rank.
///
/// The ranks of a node are a chain whose first rank, the head, talks to the heads of other nodes. With g ranks a full
/// node, N nodes, L = ceil(log2 N) levels, chunks of c bytes and K = S/2c chunks a tree:
///   T = 2(g-1) latency_intra + 2L latency_net                    up and down once
///     + c [ 4(g-1)/rate_intra + 2L share(N)/rate_net ]           the first chunk
///     + 2c (K-1) max(share(g)/rate_intra, share(N)/rate_net)     the chunks behind it, at the narrowest place
/// which tends to the latency + S max(...) as chunks get small. share(2) = 1; from 3 on share = 2, because an inner
/// node sends S up and S down through one NIC (a rank of the chain through one port). At 3 nodes the trees themselves
/// would ask for 1.5; on 3 A100 nodes (NVIDIA/nccl issue 527, comment of 2022-07-25) 2 is 8 % too slow, 1.5 is 20 % too
/// fast.
/// rate_net: a NIC, or less where a leaf's uplink carries more of the trees than a NIC does for its rate.
/// O(1) on one switch, O(N) where leaves have uplinks that can be the narrowest place.
///
/// The full run shares links among the chunks as they meet: 25 MB on 4 to 64 ranks, 1 to 8 a node, are 0 to 5 % faster
/// there, a third faster at 3 nodes (see share), 100 kB up to 55 % (tests/simgrid/full_all_reduce_test.cpp).
/// Throws std::invalid_argument when a link in use has no rate.
double tree_all_reduce_s(const Machine& machine, double size_bytes);

/// Bytes of one chunk: NCCL's 512 KiB (a 4 MiB buffer in 8 steps), halved for small messages as its enqueue.cc does
/// (github.com/NVIDIA/nccl, versions 2.4 to 2.18, protocol Simple), here with one channel a tree.
double tree_chunk_bytes(const Machine& machine, double size_bytes);

/// The chunks that each tree carries, all of one size.
struct TreeChunks {
  int count = 0;
  double size_bytes = 0;
};

/// The chunks of a message: as few as tree_chunk_bytes() allows; none for an empty message.
TreeChunks tree_chunks(const Machine& machine, double size_bytes);

/// The number of edges between the root and the farthest leaf: ceil(log2 nodes).
int tree_levels(int nodes);

/// The node above each node in tree 0 or 1, -1 for the root. In tree 0 an odd node is a leaf, and the height of a node
/// is that of its lowest bit; tree 1 is tree 0 mirrored for an even number of nodes, shifted by one for an odd number,
/// so that no node is an inner node of both.
std::vector<int> tree_parents(int nodes, int tree);

/// Bytes that the NIC of an inner node sends: the whole message up and down; on two nodes half of it each way.
double nic_bytes_of_trees(const Machine& machine, double wire_bytes);

/// Seconds for each byte of the message at the narrowest place between nodes; 0 for one node. O(1) on one switch, O(N)
/// where uplinks can be the narrowest place.
double tree_s_per_byte_across(const Machine& machine);

/// Whether uplinks are the narrowest place: one carries more bytes of the trees for its rate than a NIC does. O(N).
bool uplinks_slow_trees(const Machine& machine);

/// The schedule of all messages of one such all-reduce: each rank has a program up and one down in each tree; the root
/// has one for both.
Schedule tree_schedule(const Machine& machine, double size_bytes);

// A double tree in which SimGrid runs one node of each height.

/// Returns one sentence that says why one node of a height cannot stand for all nodes of that height; nothing where it
/// can. It can without a slow node and with NICs that are narrower than uplinks (uplinks_slow_trees() is false). The
/// last node may be short.
std::optional<std::string> why_no_tree_classes(const Machine& machine);

/// One node of each height 1 to H = ceil(log2 N), for 4 nodes and more. Every node is an inner node of one tree and a
/// leaf of the other, and the two trees have the same shape, so that one tree stands for both:
///
///        inside                         leaves
///   H      root                         Leaf h is the other role of node h: both share its NIC and its ports. Node 1
///          |      one child             waits for leaf 1 (half of all nodes) and leaf 2 (a quarter of them).
///   h      o                            The leaves 3 to H send to and receive from a node like node 1, which does not
///         / \     two equal children,   wait for them.
///   h-1  o   o    one is simulated
///
/// Not modelled: the heights of a node's children in the leaves' tree differ from node to node. The full run is up to
/// 15 % faster to 11 % slower for messages of few chunks, up to 2 % faster and 1 % slower for many:
/// tests/simgrid/tree_classes_test.cpp.
ClassSchedule tree_class_schedule(const Machine& machine, double size_bytes, int most_chunks);

} // namespace ddlsim
