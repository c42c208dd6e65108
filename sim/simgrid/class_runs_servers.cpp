#include "sim/parameter_server/server_classes.hpp"
#include "sim/simgrid/class_runs.hpp"
#include "sim/simgrid/server_run.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <cstddef>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// Returns, for each link, a number that divides all counts of flows on it. The rate is divided too, so shares stay the
/// same.
std::vector<std::uint64_t> common_divisors(const ClassLinks& classes) {
  std::vector<std::uint64_t> divisors(classes.links.size(), 0);
  for (const ConnectionRoutes& routes : classes.routes)
    for (const auto* route : {&routes.push, &routes.pull})
      for (const auto& crossing : *route)
        divisors[crossing.link] = std::gcd(divisors[crossing.link], static_cast<std::uint64_t>(crossing.flows));
  return divisors;
}

/// The hosts and links of one member of each class. SimGrid counts a message against a link's rate once for each time
/// the link is listed in its route, so one message stands for several.
class ClassPlatform {
public:
  explicit ClassPlatform(const ClassLinks& classes)
      : zone_(make_full_zone("classes")), divisors_(common_divisors(classes)) {
    for (std::size_t i = 0; i < classes.links.size(); ++i) {
      const ClassLink& link = classes.links[i];
      const bool is_used = divisors_[i] > 0;
      links_.push_back(
          is_used ? make_link(zone_, link.name + std::to_string(i), link.rate_Bps / static_cast<double>(divisors_[i]))
                  : nullptr);
    }
  }

  /// Returns the worker's and the server's host of a connection, with a route in each direction. Workers of a class
  /// have one host for each distance to servers.
  std::pair<s4u::Host*, s4u::Host*> connect(const ConnectionClass& connection, const ConnectionRoutes& routes) {
    auto* worker = host("worker" + std::to_string(connection.node_class) + "-" +
                        std::to_string(static_cast<int>(connection.distance)));
    auto* server = host("server" + std::to_string(connection.server_class));
    zone_.add_route(worker->get_netpoint(), server->get_netpoint(), nullptr, nullptr, route_of(routes.push), false);
    zone_.add_route(server->get_netpoint(), worker->get_netpoint(), nullptr, nullptr, route_of(routes.pull), false);
    return {worker, server};
  }

  void seal() { zone_.seal(); }

private:
  s4u::Host* host(const std::string& name) {
    constexpr double idle_flops = 1; // no host computes here
    auto& known = hosts_[name];
    if (known == nullptr) known = zone_.create_host(name, idle_flops);
    return known;
  }

  std::vector<s4u::LinkInRoute> route_of(const std::vector<MaxMin::Crossing>& crossings) const {
    std::vector<s4u::LinkInRoute> route;
    for (const auto& crossing : crossings)
      route.insert(route.end(), static_cast<std::size_t>(crossing.flows) / divisors_[crossing.link],
                   s4u::LinkInRoute(links_[crossing.link]));
    return route;
  }

  s4u::NetZone& zone_;
  std::vector<std::uint64_t> divisors_; ///< 0: no flow crosses the link
  std::vector<s4u::Link*> links_;
  std::map<std::string, s4u::Host*> hosts_;
};

} // namespace

SimulatedTimes simulate_server_classes(const Machine& machine, const ServerMachine& servers,
                                       const ServerExchange& exchange) {
  start_simgrid();
  const ServerClasses classes = find_server_classes(machine, servers, exchange);
  const auto connection_classes = find_connection_classes(classes);
  const auto links = find_class_links(machine, servers, exchange, classes, connection_classes);
  ClassPlatform platform(links);
  std::vector<ShardOnServer> shards = make_shards(machine, servers, exchange);
  std::vector<ShardConnection> connections;
  for (std::size_t i = 0; i < connection_classes.size(); ++i) {
    const ConnectionClass& of = connection_classes[i];
    const auto [worker, server] = platform.connect(of, links.routes[i]);
    const bool local = of.distance == Distance::same_node;
    connections.push_back({worker, server, std::to_string(i), local ? machine.intra_latency_s : machine.net_latency_s,
                           classes.nodes[of.node_class].slow, servers.connection_Bps});
    for (const std::size_t shard : classes.servers[of.server_class].shards)
      connections.back().shards.push_back(&shards[shard]);
    add_copies(connections.back());
  }
  platform.seal();
  SimulatedTimes simulated;
  simulated.messages = run_connections(connections);
  std::vector<const ShardOnServer*> in_order;
  for (const ShardRole& role : classes.shards)
    in_order.push_back(&shards[classes.servers[role.server_class].shards[role.position]]);
  simulated.times_s = times_of(in_order);
  return simulated;
}

} // namespace ddlsim
