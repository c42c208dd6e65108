#pragma once
// The TCP connections by which a library moves bytes from node to node: clouds limit what one of them may carry.

#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/library_version.hpp"

namespace ddlsim {

/// Connections that carry an all-reduce from a node to the next, all its NICs together.
///   NCCL: a ring through each NIC and a connection a ring (src/misc/rings.cu, 2.3.7: "a single net interface, hence a
///   single ring"); two rings on Kepler; 2.4 doubles the rings of GPUs on NVLink (src/misc/rings.cc); from 2.4.8 on 16
///   connections a ring on EC2's adapters (src/transport/net_socket.cc).
///   MPICH and its relatives: every rank of the node has a partner elsewhere. The others: rings, one connection.
int connections_between_nodes(const LibraryVersion& library, const Cluster& cluster, const Nic& nic, const Gpu& gpu,
                              int gpus_per_node);

/// What one connection over that transport may carry by the path of its NIC, bytes/s; infinity where nothing limits it.
double connection_limit_Bps(const Cluster& cluster, const Transport& transport);

} // namespace ddlsim
