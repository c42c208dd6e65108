#pragma once
// Workers, servers and the links between them as a SimGrid platform.

#include "sim/parameter_server/traffic.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/ring_run.hpp"

#include <vector>

namespace simgrid::s4u {
class Host;
} // namespace simgrid::s4u

namespace ddlsim {

struct ServerPlatform {
  std::vector<simgrid::s4u::Host*> workers;  ///< one a worker node
  std::vector<simgrid::s4u::Host*> servers;  ///< one a server process, also where it shares a worker's node
  std::vector<std::vector<RingRank>> beside; ///< of each neighbour
};

/// Routes exist between each worker node and each server, both ways. A message passes the NICs of the two nodes, the
/// leaf uplinks if it leaves a leaf, the server process's link and the connection's ceiling, the last two if there are
/// any. Between a worker and a server of the same node it takes the loopback (intra rate) instead of NICs. A neighbour's ranks
/// have a NIC each and the ways of the fabric.
ServerPlatform make_server_platform(const Machine& machine, const ServerMachine& servers,
                                    const std::vector<RingBeside>& beside = {});

} // namespace ddlsim
