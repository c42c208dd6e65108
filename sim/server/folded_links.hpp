#pragma once
// Links that the classes of connections share.

#include "sim/server/max_min.hpp"
#include "sim/server/server_classes.hpp"

#include <vector>

namespace ddlsim {

/// One representative of each link; connection c pushes as flow 2c and pulls as flow 2c + 1, none active yet. The links
/// are those of the full simulation: NICs, leaf uplinks, loopbacks and server processes, each direction by itself, and
/// a ceiling for each connection.
MaxMin make_folded_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                         const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
