#pragma once
// How much narrower a fabric's links make the NICs of a job, by what the job runs.

#include "sim/network/machine.hpp"
#include "sim/network/placed_fabric.hpp"

#include <vector>

namespace ddlsim {

/// What the nodes send each other at the same time, in the time in which a NIC sends weight 1:
///   ring              each node to the next: a step
///   tree              both double trees, up and down; an inner node sends 2 for each byte of the message, a half an
///                     edge
///   halving-doubling  nodes 2^k apart, each distance by itself; the farther ones send less
///   recursive doubling  the same with equal messages
///   in order          each node to the next by its place, the last to the first: sums made by the switches, which each
///                     send as much up as one node does
///   all to all        each node a share to each other one: workers and servers
/// With more than 128 nodes, all to all is taken from 128 distances evenly spread.
FabricLoad fabric_load(const PlacedFabric& placed, int nodes);

/// The ring's messages of one step.
std::vector<NodeMessage> ring_messages(int nodes);

/// The nodes by their places on the fabric; by their numbers where there are no places.
std::vector<int> nodes_in_order(const std::vector<int>& places, int nodes);

/// The same machine on one switch, each NIC as slow as the busiest link makes it; unchanged without a fabric. Where no
/// link is busier than a NIC a ring takes the same time as on the fabric itself; elsewhere it waits at every edge as
/// long as at the narrowest.
Machine on_one_switch(const Machine& machine, TrafficPattern pattern);

/// For the rows of what makes a NIC send as much as in a ring over nodes: 2(N-1)/N of the vector.
double nic_bytes_of_ring_over_nodes(const Machine& machine, double wire_bytes);

} // namespace ddlsim
