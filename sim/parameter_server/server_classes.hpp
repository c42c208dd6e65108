#pragma once
// Which nodes, servers and connections of a parameter-server exchange play the same role.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/exchange.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace ddlsim {

/// Leaf switches with as many nodes of each role.
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

/// Where a connection's worker stands to its server.
enum class Distance { same_node, same_leaf, other_leaf };

/// Connections from workers of one class to servers of one class at one distance.
struct ConnectionClass {
  std::size_t node_class = 0; ///< of the worker
  std::size_t server_class = 0;
  Distance distance = Distance::other_leaf;
  double servers = 0; ///< that one such worker reaches so
  double workers = 0; ///< nodes that one such server is reached from so
};

/// The same shard on each server of a class.
struct ShardRole {
  std::size_t server_class = 0;
  std::size_t position = 0; ///< in its servers' order
};

/// Two connections are of one class exactly when the exchange can be mapped onto itself so that one goes to the other:
/// leaves of a class may be exchanged as a whole, and in a leaf the nodes of a class, and on a node the servers of a
/// class. Shares and times are unique, so they do not change under such a mapping, and all members of a class do the
/// same at the same time. That holds for every exchange; what varies is how many classes are left.
struct ServerClasses {
  std::vector<LeafClass> leaves;
  std::vector<NodeClass> nodes;
  std::vector<ServerClass> servers; ///< that have shards
  std::vector<ShardRole> shards;    ///< of each shard of the exchange
};

/// The roles of nodes and servers. For what require_usable accepts.
ServerClasses find_server_classes(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange);

/// The same. How to run an exchange and its runs ask for one exchange's roles after another's: those of the exchange
/// asked last in this thread are kept.
std::shared_ptr<const ServerClasses> server_classes_of(const Machine& machine, const ServerMachine& servers,
                                                       const ServerExchange& exchange);

/// The roles of connections that follow from them, and how many these are.
std::vector<ConnectionClass> find_connection_classes(const ServerClasses& classes);
std::size_t count_connection_classes(const ServerClasses& classes);

// The links that classes of connections share, one representative of each.

struct ClassLink {
  const char* name =
      ""; ///< nic-out, nic-in, nic-both-ways, loop-push, loop-pull, leaf-up, leaf-down, process-out, process-in
  double rate_Bps = 0;
};

/// What a connection's pushes and its pulls cross; the links are indices.
struct ConnectionRoutes {
  std::vector<MaxMin::Crossing> push;
  std::vector<MaxMin::Crossing> pull;
};

struct ClassLinks {
  std::vector<ClassLink> links;
  std::vector<ConnectionRoutes> routes; ///< of each class of connections
};

/// The links are those of the full simulation: NICs, leaf uplinks, loopbacks and server processes, each direction by
/// itself, and what a NIC passes both ways together where its ways meet. The ceiling of a connection is no link: no two flows share it.
ClassLinks find_class_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                            const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
