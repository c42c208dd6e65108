#pragma once
// The machine as the engine sees it: ranks on nodes, and the rate and delay of each kind of link. It is built from a
// cluster file and one sample of parameters. All rates are those that software reaches in one direction (line rate x
// efficiency).

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
  double intra_Bps = 0; ///< rate of one edge inside a node
  double intra_latency_s = 0;
  double nic_Bps = 0;         ///< rate of all NICs of one node together, one direction
  double net_latency_s = 0;   ///< delay of one message from node to node
  int nodes_per_leaf = 0;     ///< number of nodes of a leaf; 0: all nodes are on one non-blocking switch (star)
  double uplink_Bps = 0;      ///< rate of all uplinks of one leaf, one direction; used with nodes_per_leaf > 0 only
  double slow_nic_factor = 1; ///< rate of node 0's NIC over nic_Bps, both directions; 1: no node is slow
  /// share of nic_Bps that servers have each way while both directions are busy; 1 or more: all of it
  double nic_duplex = 1;
  /// The fabric, where SimGrid has to simulate the links between switches one by one; nodes_per_leaf is then 0. Else
  /// null.
  std::shared_ptr<const PlacedFabric> fabric{};

  double nic_Bps_of(int node) const;
  bool directions_share_limit() const {
    return nic_duplex < 1;
  }                             ///< whether the two directions of a NIC slow each other
  double both_ways_Bps() const; ///< rate of both directions of a NIC together
  double busy_nic_Bps() const;  ///< rate of one direction of a NIC while both are busy
  int nodes() const { return (ranks + ranks_per_node - 1) / ranks_per_node; }
  int node_of(int rank) const { return rank / ranks_per_node; }

  bool operator==(const Machine&) const = default;
};

/// The number of a rank, node or server as an index of a vector.
constexpr std::size_t at(int number) {
  return static_cast<std::size_t>(number);
}

/// Where parameter servers run, and the rates that one of them can reach.
struct ServerMachine {
  int servers = 1;
  /// servers are hosts of their own with the same NIC as a node; else server p is on node p mod nodes
  bool dedicated = true;
  double process_Bps = 0;    ///< ceiling of one server process, each direction, by its software; 0: none
  double connection_Bps = 0; ///< ceiling of one connection between a worker and a server; 0: none
  /// NIC rate of a dedicated server's host over that of a node. It is 1, except where a few asynchronous workers stand
  /// for all. The formula and the classes of synchronous servers do not use it.
  double nic_share = 1;
};

/// Returns one sentence that says why a transport inside a node cannot serve that many GPUs; "" where it can.
std::string network_complaint(const Transport& transport, int gpus, int gpus_per_node);

/// Number of nodes whose GPUs the transport reaches like those of one node: the nodes of an NVLink domain over NCCL,
/// else 1.
int domain_nodes(const Cluster& cluster, const Transport& transport);

/// The cluster's fabric as a transport uses it. NCCL keeps a message on its rail (NCCL_CROSS_NIC of NVIDIA's NCCL
/// documentation; from 2.12 on through the NIC of another GPU of the node, PXN), and spreads its channels over all
/// rails. The rails are then modelled as one fat-tree that carries all messages. MPI, Gloo and servers do not know
/// rails; they are assumed to change the rail with every message. A node with one NIC has one rail.
Fabric fabric_over(const Cluster& cluster, const Transport& transport);

/// The machine of `gpus` ranks that fill nodes of `gpus_per_node`.
/// Over MPI and Gloo (mpi-ib, mpi-tcp, gloo-tcp) host memory is the only path: traffic of every rank, also inside the
/// node, passes the node's NIC, so an edge gets the NIC's rate divided by the ranks of a node. The nodes of a leaf
/// share its uplinks, whose rate is nodes_per_leaf x NIC / blocking. A node's NIC rate is the smaller of line rate x
/// efficiency and the rate of its sockets. An NVLink domain is one node with the NICs of all its nodes. Links of
/// `fabric` reach the same share of their line rate as a NIC, and a message waits for hop_latency on each link that it
/// crosses.
/// Throws UserError when `transport` names a NIC that the cluster does not have, or no NIC and the ranks are on several
/// nodes.
Machine build_machine(const Cluster& cluster, const Transport& transport, const Parameters& parameters, int gpus,
                      int gpus_per_node, std::shared_ptr<const PlacedFabric> fabric = nullptr);

/// Returns the machine with every NIC as slow as node 0's. Ranks in step with node 0 all wait for its NIC.
Machine all_nics_slow(Machine machine);

/// Rate of a link between switches, reduced from its line rate as the NICs of the machine are.
double link_Bps(const Machine& machine, const PlacedFabric& placed, std::size_t link);

/// Number of hops that the negotiation of a tensor passes through, and the copies of the tensor. Over MPI and Gloo
/// every rank takes part: log2 of the ranks. Over NCCL processes negotiate across nodes only: 1 + log2 of the nodes,
/// and 0 on one node. The Horovod runs in platforms/azure-* have this dependence; a sum over ranks fits them about as
/// well.
double negotiation_hops(const Machine& machine, const Transport& transport);

/// The servers of a parameter-server strategy. The server rule `unknown` means one server on each node beside the
/// workers, as TensorFlow's and MXNet's launchers place them. A connection whose own rate limits it needs a core for
/// itself, because one thread copies and decodes its bytes. So a server moves at most that rate times the cores of its
/// node, which the node's servers share. With cores_per_node 0 there is no such limit.
ServerMachine build_servers(const Strategy& strategy, const Machine& machine, const Parameters& parameters,
                            int cores_per_node);

// Facts about a machine that decide which links a collective over all ranks uses.

/// Number of ranks of a full node, or of the only node.
int ranks_of_full_node(const Machine& machine);

/// Number of ranks of the node; a short last node has fewer than others.
int ranks_of_node(const Machine& machine, int node);

/// Whether the ranks are on more than one leaf, so that messages pass its uplinks.
bool has_leaves(const Machine& machine);

/// Whether one node's NIC is slower than those of the others.
bool has_slow_node(const Machine& machine);

/// Throws std::invalid_argument when a kind of link that exists between these ranks has no rate above zero.
void require_rates(const Machine& machine);

} // namespace ddlsim
