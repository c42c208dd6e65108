#pragma once
// Messages that wait for each other, on a network of packets: what packet_network.cpp times.

#include <cstddef>
#include <vector>

namespace ddlsim_test {

/// Hosts on one switch, or on leaves under one switch.
struct PacketNetwork {
  int hosts = 1;
  double rate_Bps = 0; ///< of each host's link, headers included
  double delay_s = 0;  ///< of each host's link; links of leaves have none
  int hosts_per_leaf = 0;
  double uplink_Bps = 0;
};

/// Is sent as soon as `after`, numbers of messages before it, have come, and the messages before it on its connection,
/// one for each pair, direction and lane, are under way.
struct PacketMessage {
  int from = 0;
  int to = 0;
  int segments = 0; ///< whole ones, of segment.hpp's payload
  std::vector<std::size_t> after;
  int lane = 0; ///< 0 to 3
};

/// Seconds until the last message has come. Throws std::runtime_error with what the program printed.
double packets_s(const PacketNetwork& network, const std::vector<PacketMessage>& messages);

/// Ring all-reduce: 2 (hosts - 1) rounds, in each of which every host passes one chunk on.
std::vector<PacketMessage> ring_messages(int hosts, int segments_per_chunk);

/// Recursive halving and doubling of 2^k hosts: hosts 1, 2, 4 ... apart swap a half, a quarter ... and back.
std::vector<PacketMessage> halving_doubling_messages(int hosts, int segments);

/// Double binary tree: each of two trees carries `chunks` up to its root and down again, one after another.
std::vector<PacketMessage> tree_messages(int hosts, int chunks, int segments_per_chunk);

/// Synchronous servers behind the workers: tensor t is pushed to server t modulo `servers` by every worker, and pulled
/// once that has all copies.
std::vector<PacketMessage> server_messages(int workers, int servers, const std::vector<int>& segments);

} // namespace ddlsim_test
