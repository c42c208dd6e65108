#pragma once
#include <string>
#include <vector>

namespace ddltrain {

/// Which ranks share a host. Nodes are numbered in the order their first rank comes.
struct NodeMap {
  std::vector<std::string> host_of_rank;
  std::vector<int> node_of_rank;
  int nodes = 0;
  int most_ranks_per_node = 0;
};

/// hosts: the host's name by rank. Names tell hosts apart, so two hosts of one name are taken for one.
NodeMap map_nodes(const std::vector<std::string>& hosts);

/// The number, from 0, of a rank among those of its host.
int place_on_node(const NodeMap& nodes, int rank);

} // namespace ddltrain
