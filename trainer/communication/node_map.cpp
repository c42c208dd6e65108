#include "trainer/communication/node_map.hpp"

#include <algorithm>
#include <map>

namespace ddltrain {

NodeMap map_nodes(const std::vector<std::string>& hosts) {
  NodeMap nodes;
  nodes.host_of_rank = hosts;
  std::map<std::string, int> number;
  std::vector<int> ranks_on;
  for (const std::string& host : hosts) {
    const auto [entry, is_new] = number.try_emplace(host, nodes.nodes);
    if (is_new) {
      ++nodes.nodes;
      ranks_on.push_back(0);
    }
    nodes.node_of_rank.push_back(entry->second);
    const int ranks = ++ranks_on[static_cast<std::size_t>(entry->second)];
    nodes.most_ranks_per_node = std::max(nodes.most_ranks_per_node, ranks);
  }
  return nodes;
}

int place_on_node(const NodeMap& nodes, int rank) {
  const auto own = nodes.node_of_rank.begin() + rank;
  return static_cast<int>(std::count(nodes.node_of_rank.begin(), own, *own));
}

} // namespace ddltrain
