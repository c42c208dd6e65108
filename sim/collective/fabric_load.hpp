#pragma once
// How much a fabric's links slow the NICs of a job, by the traffic pattern of the job.

#include "sim/network/machine.hpp"
#include "sim/network/placed_fabric.hpp"

#include <vector>

namespace ddlsim {

/// The load that a job's nodes put on the fabric's links, for each pattern of messages that are sent at the same time.
/// A NIC sends weight 1 meanwhile:
///   ring              each node to the next: a step
///   tree              both double trees, up and down; an inner node sends 2 bytes for each byte of the message, half a
///                     byte on each edge
///   halving-doubling  nodes 2^k apart, each distance by itself; the farther ones send less
///   recursive doubling  the same with equal messages
///   in order          each node to the next by place, the last to the first: reductions by the switches, each of which
///                     sends as much up as one node does
///   all to all        each node a share to every other node: workers and servers
/// With more than 128 nodes, all to all is taken from 128 distances evenly spread.
FabricLoad fabric_load(const PlacedFabric& placed, int nodes);

/// The messages that nodes send in one step of a ring.
std::vector<NodeMessage> ring_messages(int nodes);

/// The nodes in the order of their places on the fabric, or of their numbers where there are no places.
std::vector<int> nodes_in_order(const std::vector<int>& places, int nodes);

/// Returns the machine on one switch, each of whose NICs is as slow as the busiest link makes it; an unchanged machine
/// where there is no fabric. Where no link is busier than a NIC, a ring takes the same time as on the fabric itself.
/// Elsewhere every edge of the ring counts as slow as the slowest.
Machine on_one_switch(const Machine& machine, TrafficPattern pattern);

/// Bytes that a NIC sends in a ring over nodes: 2(N-1)/N of the vector. Other algorithms with as much traffic use it
/// too.
double nic_bytes_of_ring_over_nodes(const Machine& machine, double wire_bytes);

} // namespace ddlsim
