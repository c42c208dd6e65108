#pragma once
// Which nodes, servers and connections of a parameter-server exchange play the same role.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/exchange.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ddlsim {

/// Leaf switches that have the same number of nodes of each role.
struct LeafClass {
  double leaves = 0;
};

/// Nodes of one role in leaves of one class: all workers or none, all slow or none, hosting servers of the same roles.
struct NodeClass {
  std::size_t leaf_class = 0;
  double per_leaf = 0;
  bool worker = true;
  bool slow = false; ///< node 0, when its NIC or its ready times differ: always a class of its own
};

/// Servers of one role on nodes of one class: equal shards, ready at equal times, in equal order.
struct ServerClass {
  std::size_t node_class = 0;
  double per_node = 0;
  std::vector<std::size_t> shards; ///< of one such server, indices into the exchange
};

/// The distance between a connection's worker and its server.
enum class Distance { same_node, same_leaf, other_leaf };

/// Connections from workers of one class to servers of one class at one distance.
struct ConnectionClass {
  std::size_t node_class = 0; ///< of the worker
  std::size_t server_class = 0;
  Distance distance = Distance::other_leaf;
  double servers = 0; ///< servers that one such worker reaches at this distance
  double workers = 0; ///< worker nodes that reach one such server at this distance
};

/// The class and the position that a shard has on each server of the class.
struct ShardRole {
  std::size_t server_class = 0;
  std::size_t position = 0; ///< in the order of the server's shards
};

/// Two connections are of one class exactly when the exchange can be mapped onto itself so that one becomes the other:
/// leaves of a class may be exchanged as a whole, nodes of a class within a leaf, and servers of a class on a node.
/// Shares and times are unique, so they do not change under such a mapping, and all members of a class do the same at
/// the same time. That holds for every exchange; only the number of classes varies.
struct ServerClasses {
  std::vector<LeafClass> leaves;
  std::vector<NodeClass> nodes;
  std::vector<ServerClass> servers; ///< servers that have shards
  std::vector<ShardRole> shards;    ///< for each shard of the exchange
};

/// Finds the roles of nodes and servers. The exchange must pass require_usable().
ServerClasses find_server_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns find_server_classes(), cached: choosing an engine and running it request the roles of the same exchange in
/// turn, so the last result of this thread is kept.
std::shared_ptr<const ServerClasses> server_classes_of(const Machine& machine, const ServerMachine& servers,
                                                       const ServerExchange& exchange);

/// Returns the roles of connections that follow from the roles of nodes and servers.
std::vector<ConnectionClass> find_connection_classes(const ServerClasses& classes);
std::size_t count_connection_classes(const ServerClasses& classes);

// The links that classes of connections share, with one representative of each class of links.

struct ClassLink {
  /// nic-out, nic-in, nic-both-ways, loop-push, loop-pull, leaf-up, leaf-down, process-out or process-in.
  const char* name = "";
  double rate_Bps = 0;
};

/// The links that a connection's pushes and its pulls cross, as indices.
struct ConnectionRoutes {
  std::vector<MaxMin::Crossing> push;
  std::vector<MaxMin::Crossing> pull;
};

struct ClassLinks {
  std::vector<ClassLink> links;
  std::vector<ConnectionRoutes> routes; ///< for each class of connections
};

/// Finds the links of the full simulation: NICs, leaf uplinks, loopbacks and server processes, each direction
/// separately, and the sum of both directions of a NIC where they share a limit. The ceiling of a connection is no
/// link, because no two flows share it.
ClassLinks find_class_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                            const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
