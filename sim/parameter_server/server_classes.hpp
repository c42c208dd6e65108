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

/// Nodes of one role in leaves of one class. Either all have workers or none has, either all are slow or none is, and
/// all host servers of the same roles.
struct NodeClass {
  std::size_t leaf_class = 0;
  double per_leaf = 0;
  bool worker = true;
  bool slow = false; ///< node 0, when its NIC or its ready times differ; it is always a class of its own
};

/// Servers of one role on nodes of one class: they have equal shards, which are ready at equal times and in the same
/// order.
struct ServerClass {
  std::size_t node_class = 0;
  double per_node = 0;
  std::vector<std::size_t> shards; ///< shards of one such server, as indices into the exchange
};

/// The distance between a connection's worker and its server.
enum class Distance { same_node, same_leaf, other_leaf };

/// Connections from workers of one class to servers of one class at one distance.
struct ConnectionClass {
  std::size_t node_class = 0; ///< class of the worker's node
  std::size_t server_class = 0;
  Distance distance = Distance::other_leaf;
  double servers = 0; ///< number of servers that such a worker reaches at this distance
  double workers = 0; ///< number of worker nodes that reach such a server at this distance
};

/// The class and the position that a shard has on each server of the class.
struct ShardRole {
  std::size_t server_class = 0;
  std::size_t position = 0; ///< place in the order of the server's shards
};

/// The classes of nodes, servers and connections. Two connections are of one class exactly when the exchange can be
/// mapped onto itself so that one becomes the other. Such a mapping may exchange leaves of a class as a whole, nodes of
/// a class within a leaf, and servers of a class on a node. Shares and times are unique, so the mapping does not change
/// them, and all members of a class do the same at the same time. That holds for every exchange; only the number of
/// classes varies.
struct ServerClasses {
  std::vector<LeafClass> leaves;
  std::vector<NodeClass> nodes;
  std::vector<ServerClass> servers; ///< classes of the servers that have shards
  std::vector<ShardRole> shards;    ///< role of each shard of the exchange
};

/// Finds the roles of nodes and servers. The exchange must pass require_usable().
ServerClasses find_server_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// Returns find_server_classes(), and keeps the last result of this thread: choosing an engine and running it ask for
/// the roles of the same exchange one after the other.
std::shared_ptr<const ServerClasses> server_classes_of(const Machine& machine, const ServerMachine& servers,
                                                       const ServerExchange& exchange);

/// Returns the classes of connections that follow from the classes of nodes and servers.
std::vector<ConnectionClass> find_connection_classes(const ServerClasses& classes);
std::size_t count_connection_classes(const ServerClasses& classes);

// The links that classes of connections share, with one representative of each class of links.

struct ClassLink {
  /// "nic-out", "nic-in", "nic-both-ways", "loop-push", "loop-pull", "leaf-up", "leaf-down", "process-out" or
  /// "process-in".
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
  std::vector<ConnectionRoutes> routes; ///< routes of each class of connections
};

/// Finds the links of the full simulation: NICs, leaf uplinks, loopbacks and server processes, each direction
/// separately, and the sum of both directions of a NIC where they share a limit. The ceiling of a connection is no
/// link, because no two flows share it.
ClassLinks find_class_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                            const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
