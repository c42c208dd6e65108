#pragma once
// One synchronous exchange with parameter servers in which connections that play the same role are one.

#include "sim/network/max_min.hpp"
#include "sim/parameter_server/exchange.hpp"
#include "sim/parameter_server/server_classes.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// What the full simulation does, every copy by itself and all links shared by max-min fairness, with one
/// representative for each class of connections (server_classes.hpp): equal to it, whatever the servers, shards, leaves
/// and slow node. Honours slow_nic_factor and slow_ready_s. Time and memory grow with the classes and not with the
/// nodes.
///
/// A message counts as ended when `end_share` of it is left. The default is rounding. More is an approximation, mostly
/// too fast, that saves moments at which the links are shared anew where thousands of connections differ. ResNet-50
/// on one unlike colocated server a node, 8 to 64 nodes, largest error over the four rules of placement.hpp, and time
/// for 64 and 4,096 nodes, bytes rule, on one core:
///   end_share  error   64 nodes  4,096 nodes
///   1e-12      0       0.09 s    4.5 s
///   1e-3       0.07 %  0.05 s    0.6 s
///   1e-2       0.9 %   0.04 s    0.3 s
///
/// Throws std::invalid_argument as the closed form does.
ServerExchangeTiming server_exchange_reduced(const Machine& machine, const ServerMachine& servers,
                                             const ServerExchange& exchange, double end_share = 1e-12);

/// Classes of connections that are reduced at most. 161 unlike colocated servers, ResNet-50's tensors one by one, have
/// 26,082, which take 0.7 s on 256 nodes and 5 s on 4,096; beyond, a point would take minutes.
constexpr std::size_t most_reduced_connections = 30000;

/// Classes of connections of an exchange: time and memory of the reduced run grow with them. Throws
/// std::invalid_argument as the closed form does.
std::size_t count_unlike_connections(const Machine& machine, const ServerMachine& servers,
                                     const ServerExchange& exchange);

/// Why a reduced run is of no use here, in one sentence: too many connections differ, as with colocated servers that
/// all carry different shards. Nothing where it is. Throws std::invalid_argument as the closed form does.
std::optional<std::string> why_too_many_classes(const Machine& machine, const ServerMachine& servers,
                                                const ServerExchange& exchange,
                                                std::size_t most_connections = most_reduced_connections);

/// The links that classes of connections share, one representative of each; connection c pushes as flow 2c and pulls as
/// flow 2c + 1, none active yet. The links are those of the full simulation: NICs, leaf uplinks, loopbacks and server
/// processes, each direction by itself, and a ceiling for each connection.
MaxMin make_reduced_links(const Machine& machine, const ServerMachine& servers, const ServerExchange& exchange,
                          const ServerClasses& classes, const std::vector<ConnectionClass>& connections);

} // namespace ddlsim
