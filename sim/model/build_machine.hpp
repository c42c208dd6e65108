#pragma once
// Cluster file + one world of parameters -> the machine the engine runs on.

#include "sim/files/cluster.hpp"
#include "sim/files/strategy.hpp"
#include "sim/model/machine.hpp"
#include "sim/model/parameters.hpp"

namespace ddlsim {

/// `gpus` ranks filling nodes of `gpus_per_node`. Over MPI (mpi-ib, mpi-tcp) host memory is the only path and every
/// rank's traffic, also inside the node, passes the node's NIC, so that an edge gets NIC rate / ranks of a node. The
/// nodes of a leaf share its uplinks: nodes_per_leaf x NIC / blocking. A node's NIC rate is the smaller of line rate x
/// efficiency and what its sockets carry. Throws UserError when `transport` names a NIC the cluster does not have.
Machine build_machine(const Cluster& cluster, const Transport& transport, const Parameters& parameters, int gpus,
                      int gpus_per_node);

/// Doublings through which the word that a tensor is ready, and its copies, pass: over MPI every rank takes part, log2
/// of the ranks; over NCCL a process a GPU speaks across nodes only, 1 + log2 of the nodes, none on one node. The form
/// is that of the Horovod runs in platforms/azure-*; a sum over ranks fits them about as well.
double negotiation_hops(const Machine& machine, const Transport& transport);

/// The servers of a parameter-server strategy; the NIC they see is that of `build_machine` times server_duplex.
/// A server rule of `unknown` is taken as one server a node, colocated: the layout of TensorFlow's and MXNet's
/// launchers.
ServerMachine build_servers(const Strategy& strategy, const Machine& machine, const Parameters& parameters);

} // namespace ddlsim
