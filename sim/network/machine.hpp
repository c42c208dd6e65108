#pragma once
// The machine as the engine sees it: ranks on nodes, and the rate and delay of each kind of link, made of a cluster
// file and one sample of parameters. All figures are what software reaches (line rate x efficiency), one direction.

#include "sim/formats/cluster.hpp"
#include "sim/formats/parameters.hpp"
#include "sim/formats/strategy.hpp"
#include "sim/network/placed_fabric.hpp"

#include <cstddef>
#include <memory>
#include <string>

namespace ddlsim {

/// Ranks fill nodes in order; the last node may be short. Ring neighbours are rank r and r+1 (mod ranks).
///
///        node 0                 node 1
///   r0 -> r1 -> r2 -> r3 ==> r4 -> r5 -> r6 -> r7 ==> back to r0        -> inside a node, ==> across nodes
struct Machine {
  int ranks = 1;
  int ranks_per_node = 1;
  double intra_Bps = 0; ///< one edge inside a node
  double intra_latency_s = 0;
  double nic_Bps = 0;         ///< one node, one direction, all its NICs
  double net_latency_s = 0;   ///< one crossing from node to node
  int nodes_per_leaf = 0;     ///< 0: one non-blocking switch (star)
  double uplink_Bps = 0;      ///< one leaf, one direction; only with nodes_per_leaf > 0
  double slow_nic_factor = 1; ///< what node 0's NIC reaches of nic_Bps, both directions; 1: no node is slow
  double nic_duplex = 1;      ///< of nic_Bps, what servers find left each way while both are busy; 1 or more: all of it
  /// Where links between switches have to be followed one by one; nodes_per_leaf is then 0. Null elsewhere.
  std::shared_ptr<const PlacedFabric> fabric{};

  double nic_Bps_of(int node) const;
  bool ways_meet() const { return nic_duplex < 1; } ///< both ways of a NIC slow each other
  double both_ways_Bps() const;                     ///< the two together
  double busy_nic_Bps() const;                      ///< each way while both are busy
  int nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  int node_of(int rank) const { return rank / ranks_per_node; }

  bool operator==(const Machine&) const = default;
};

/// A rank, node or server as an index.
constexpr std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// Where parameter servers run, and what one of them can move.
struct ServerMachine {
  int servers = 1;
  bool dedicated = true;     ///< servers are hosts of their own with the same NIC; else server p is on node p mod nodes
  double process_Bps = 0;    ///< ceiling of one server process, each direction (software); 0: none
  double connection_Bps = 0; ///< ceiling of one connection worker-server; 0: none
  /// Of a node's NIC, what a dedicated server's host has: 1, but where some asynchronous workers stand for all.
  /// Synchronous formula and classes do not read it.
  double nic_share = 1;
};

/// Why a transport that stays inside a node cannot serve that many GPUs, one sentence; "" where it can.
std::string network_complaint(const Transport& transport, int gpus, int gpus_per_node);

/// Nodes whose GPUs the transport reaches like those of one node: an NVLink domain's over NCCL, else 1.
int domain_nodes(const Cluster& cluster, const Transport& transport);

/// The cluster's fabric as messages of a transport meet it. NCCL keeps a message on its rail (NCCL_CROSS_NIC of
/// NVIDIA's NCCL documentation; from 2.12 on by the NIC of another GPU of the node, PXN), and spreads its channels over
/// all: rails are then a fat-tree that carries all of them. MPI, Gloo and servers do not know rails, and are taken to
/// change them with every message. A node with one NIC has one rail.
Fabric fabric_over(const Cluster& cluster, const Transport& transport);

/// `gpus` ranks filling nodes of `gpus_per_node`. Over MPI and Gloo (mpi-ib, mpi-tcp, gloo-tcp) host memory is the only
/// path and every rank's traffic, also inside the node, passes the node's NIC, so that an edge gets NIC rate / ranks of
/// a node. The nodes of a leaf share its uplinks: nodes_per_leaf x NIC / blocking. A node's NIC rate is the smaller of
/// line rate x efficiency and what its sockets carry. An NVLink domain is one node with the NICs of all. Links of
/// `fabric` reach the same share of their line rate as a NIC, and a message waits for hop_latency on each of those it
/// crosses. Throws UserError when `transport` names a NIC the cluster does not have, or none and the ranks are on
/// several nodes.
Machine build_machine(const Cluster& cluster, const Transport& transport, const Parameters& parameters, int gpus,
                      int gpus_per_node, std::shared_ptr<const PlacedFabric> fabric = nullptr);

/// The machine where every node is as slow as node 0: who waits for that node's NIC waits as long.
Machine all_nics_slow(Machine machine);

/// What a link between switches carries, in the same measure as the NICs of a machine on that fabric.
double link_Bps(const Machine& machine, const PlacedFabric& placed, std::size_t link);

/// Doublings that the negotiation of a tensor, and its copies, pass through: over MPI and Gloo every rank takes part,
/// log2 of the ranks; over NCCL processes negotiate across nodes only, 1 + log2 of the nodes, none on one node. The
/// Horovod runs in platforms/azure-* have this dependence; a sum over ranks fits them about as well.
double negotiation_hops(const Machine& machine, const Transport& transport);

/// The servers of a parameter-server strategy.
/// A server rule of `unknown` is taken as one server a node, colocated: the layout of TensorFlow's and MXNet's
/// launchers. A connection that its own rate limits takes a core for itself (bytes are copied and decoded by one thread),
/// so that a server moves no more than its node's cores, which the node's servers share, times that rate;
/// cores_per_node 0 is no such limit.
ServerMachine build_servers(const Strategy& strategy, const Machine& machine, const Parameters& parameters,
                            int cores_per_node);

// Which links a collective over all ranks needs.

/// Ranks of a full node; of the only node where the machine has but one.
int ranks_of_full_node(const Machine& machine);

/// Ranks of that node; fewer in a short last one.
int ranks_of_node(const Machine& machine, int node);

/// More than one leaf: uplinks are passed.
bool has_leaves(const Machine& machine);

/// One node's NIC is not like the others'.
bool has_slow_node(const Machine& machine);

/// Throws std::invalid_argument when a kind of link that exists between these ranks has no rate above zero.
void require_rates(const Machine& machine);

} // namespace ddlsim
