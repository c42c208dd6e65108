#pragma once
// The links that classes of connections share, one representative of each.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <vector>

namespace ddlsim {

struct ClassLink {
  const char* name = ""; ///< nic-out, nic-in, loop-push, loop-pull, leaf-up, leaf-down, process-out, process-in
  double rate_Bps = 0;
};

/// What a connection's pushes and its pulls cross; the links are indices.
struct ConnectionWays {
  std::vector<MaxMin::Crossing> push;
  std::vector<MaxMin::Crossing> pull;
};

struct ClassLinks {
  std::vector<ClassLink> links;
  std::vector<ConnectionWays> ways; ///< of each class of connections
};

/// The links are those of the full simulation: NICs, leaf uplinks, loopbacks and server processes, each direction by
/// itself. The ceiling of a connection is no link: no two flows share it.
ClassLinks find_class_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                            const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
