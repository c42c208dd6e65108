#include "sim/iteration/beside_neighbours.hpp"

#include "sim/collective/all_reduce.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/collective/tree.hpp"
#include "sim/iteration/step.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

namespace ddlsim {
namespace {

/// When each collective could have started, by what its operations wait for.
std::vector<double> ready_times_s(const Graph& graph, const Execution& alone) {
  std::vector<double> ready_s(alone.collectives.size(), 0);
  for (std::size_t i = 0; i < graph.operations.size(); ++i) {
    const auto& operation = graph.operations[i];
    if (!is_collective(graph, operation)) continue;
    const auto place =
        std::upper_bound(alone.collectives.begin(), alone.collectives.end(), alone.spans[i].start_s,
                         [](double start_s, const Collective& one) { return start_s < one.span.start_s; });
    auto& ready = ready_s[static_cast<std::size_t>(place - alone.collectives.begin()) - 1];
    for (std::size_t wait = operation.first_wait; wait < operation.first_wait + operation.waits; ++wait)
      ready = std::max(ready, alone.spans[graph.waits[wait]].end_s);
  }
  double free_s = 0;
  for (std::size_t i = 0; i < ready_s.size(); ++i) {
    const Span& span = alone.collectives[i].span;
    if (span.start_s > free_s) ready_s[i] = span.start_s; // nothing but readiness, or a tick, held it
    free_s = span.end_s;
  }
  return ready_s;
}

bool has_servers(const OwnTraffic& own) {
  return !own.server_hosts.empty();
}

/// The messages that one of the two patterns sends at the same time; each crosses NICs.
std::vector<NodeMessage> edges_of(int nodes, bool by_tree) {
  if (!by_tree) return ring_messages(nodes);
  std::vector<NodeMessage> edges;
  for (const int tree : {0, 1}) {
    const auto parents = tree_parents(nodes, tree);
    for (int node = 0; node < nodes; ++node) {
      const int parent = parents[at(node)];
      if (parent < 0) continue;
      edges.push_back({node, parent, 1});
      edges.push_back({parent, node, 1});
    }
  }
  return edges;
}

/// A push and a pull on every connection that leaves a node.
std::vector<NodeMessage> edges_of_servers(int nodes, const OwnTraffic& own) {
  std::vector<NodeMessage> edges;
  for (int node = 0; node < nodes; ++node)
    for (const int host : own.server_hosts)
      for (int copy = 0; host != node && copy < own.connections_per_node; ++copy) {
        edges.push_back({node, host, 1});
        edges.push_back({host, node, 1});
      }
  return edges;
}

std::vector<NodeMessage> edges_of(int nodes, const OwnTraffic& own) {
  return has_servers(own) ? edges_of_servers(nodes, own) : edges_of(nodes, own.by_tree);
}

/// Edges of the pattern that leave the busiest NIC.
double edges_of_nic(int nodes, const OwnTraffic& own) {
  if (!has_servers(own) && !own.by_tree) return 1;
  if (!has_servers(own)) return nodes == 2 ? 2 : 4;
  std::map<int, int> of_node;
  int most = 1;
  for (const auto& edge : edges_of_servers(nodes, own)) most = std::max(most, ++of_node[edge.from]);
  return most;
}

/// Numbers of links of the fabric as indices of the shared ones.
class LinkList {
public:
  LinkList(SharedFabric& fabric, const Machine& machine, std::size_t jobs)
      : fabric_(fabric), machine_(machine), jobs_(jobs) {}

  std::size_t index_of(const PlacedFabric& placed, std::size_t link) {
    const auto [place, is_new] = known_.emplace(link, fabric_.links.size());
    if (is_new) fabric_.links.push_back({link_Bps(machine_, placed, link), std::vector<int>(jobs_, 0)});
    return place->second;
  }

private:
  SharedFabric& fabric_;
  const Machine& machine_;
  std::size_t jobs_;
  std::map<std::size_t, std::size_t> known_;
};

/// The links that each edge crosses, which count them for that job.
std::vector<std::vector<std::size_t>> add_routes(LinkList& list, SharedFabric& fabric, const PlacedFabric& placed,
                                                 const std::vector<NodeMessage>& edges, std::size_t job) {
  std::vector<std::vector<std::size_t>> routes;
  for (const auto& edge : edges) {
    routes.emplace_back();
    for (const auto link : links_between(placed.fabric, placed.places[at(edge.from)], placed.places[at(edge.to)])) {
      routes.back().push_back(list.index_of(placed, link));
      ++fabric.links[routes.back().back()].flows[job];
    }
  }
  return routes;
}

/// A ring over nodes, of which each edge has `inside` edges within its node behind it.
std::vector<std::vector<std::size_t>> with_edges_inside(const std::vector<std::vector<std::size_t>>& routes,
                                                        int inside) {
  std::vector<std::vector<std::size_t>> all;
  for (const auto& route : routes) {
    all.push_back(route);
    all.insert(all.end(), static_cast<std::size_t>(inside), {});
  }
  return all;
}

Job own_job(const Machine& machine, const OwnTraffic& own, double rest_s) {
  Job job;
  job.compute_s = own.compute_s;
  job.rest_s = rest_s;
  job.edge_Bps = machine.nic_Bps / edges_of_nic(machine.nodes(), own);
  job.transfers = own.transfers;
  for (auto& transfer : job.transfers) transfer.edge_bytes *= job.edge_Bps / machine.nic_Bps;
  return job;
}

Job neighbour_job(const Neighbour& neighbour, const Machine& machine) {
  Job job;
  const double nodes = machine.nodes();
  const int steps = 2 * (machine.nodes() - 1);
  const double edge_bytes = 2 * (nodes - 1) / nodes * neighbour.all_reduce_bytes;
  const double alone_s = steps * machine.net_latency_s + edge_bytes / machine.nic_Bps;
  job.compute_s = neighbour.compute_s;
  job.edge_Bps = machine.nic_Bps;
  job.transfers = {{neighbour.compute_s, alone_s, edge_bytes, steps}};
  return job;
}

/// Where its own messages meet on a link, a neighbour alone takes as long as they need.
void lengthen_by_own_links(Job& job, const std::vector<SharedLink>& links, std::size_t index) {
  auto& transfer = job.transfers.front();
  transfer.alone_s += transfer.edge_bytes / alone_Bps(links, job, index) - transfer.edge_bytes / job.edge_Bps;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// SimGrid counts a message on a link once for each that it stands for.
bool are_too_many_for_rounds(const SharedFabric& shared) {
  constexpr int most_flows = 500;
  return std::any_of(shared.links.begin(), shared.links.end(),
                     [&](const SharedLink& link) { return link.flows.front() > most_flows; });
}

SharedTimes time_shared(const SharedFabric& shared, int iterations, Fidelity requested) {
  if (requested == Fidelity::screening || requested == Fidelity::closed_form || are_too_many_for_rounds(shared))
    return share_by_formula(shared.links, shared.jobs, iterations);
  if (requested == Fidelity::full && !shared.rings.empty()) {
    std::vector<double> rates_Bps;
    for (const auto& link : shared.links) rates_Bps.push_back(link.rate_Bps);
    return simulate_every_message_in_child(rates_Bps, shared.rings, iterations);
  }
  return simulate_rounds_in_child(shared.links, shared.jobs, iterations);
}

/// What one server has.
struct ServerLoad {
  double bytes = 0; ///< of all copies that one node sends
  double largest_bytes = 0;
};

std::map<int, ServerLoad> loads_of(const ServerExchange& exchange) {
  std::map<int, ServerLoad> loads;
  for (const auto& shard : exchange.shards) {
    const double bytes = shard.size_bytes * exchange.messages_per_node;
    loads[shard.server].bytes += bytes;
    loads[shard.server].largest_bytes = std::max(loads[shard.server].largest_bytes, bytes);
  }
  return loads;
}

/// What the busiest NIC sends: a node its shards but those of its own servers, a server's host the sums of the others.
double bytes_of_busiest_nic(const std::map<int, ServerLoad>& loads, const std::map<int, int>& hosts, int nodes) {
  double node_bytes = 0;
  for (const auto& [server, load] : loads) node_bytes += load.bytes;
  std::map<int, double> sent_bytes;
  for (int node = 0; node < nodes; ++node) sent_bytes[node] = node_bytes;
  for (const auto& [server, load] : loads) {
    const int host = hosts.at(server);
    if (host < nodes) sent_bytes[host] -= load.bytes;
    sent_bytes[host] += (host < nodes ? nodes - 1 : nodes) * load.bytes;
  }
  double most_bytes = 0;
  for (const auto& [host, bytes] : sent_bytes) most_bytes = std::max(most_bytes, bytes);
  return most_bytes;
}

OwnTraffic traffic_of_servers(const Graph& graph, const Execution& alone, OwnTraffic own) {
  const auto exchange = find_exchange(graph);
  if (exchange.shards.empty()) return own;
  const int nodes = graph.machine.nodes();
  const auto loads = loads_of(exchange);
  std::map<int, int> hosts;
  for (const auto& [server, load] : loads) {
    hosts[server] = graph.servers.machine.dedicated ? nodes + server : server % nodes;
    own.server_hosts.push_back(hosts[server]);
  }
  const auto busiest = std::max_element(loads.begin(), loads.end(), [](const auto& one, const auto& other) {
    return one.second.bytes < other.second.bytes;
  });
  const double both_ways = 1 + busiest->second.largest_bytes / busiest->second.bytes;
  const double ready_s = *std::min_element(exchange.ready_s.begin(), exchange.ready_s.end());
  own.connections_per_node = exchange.messages_per_node;
  own.transfers = {{ready_s, std::max(0.0, alone.end_s - ready_s),
                    both_ways * bytes_of_busiest_nic(loads, hosts, nodes), static_cast<int>(exchange.shards.size())}};
  return own;
}

} // namespace

OwnTraffic own_traffic(const Graph& graph, const Execution& alone) {
  OwnTraffic own;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == OperationKind::compute)
      own.compute_s = std::max(own.compute_s, alone.spans[i].end_s);
  if (alone.collectives.empty()) return traffic_of_servers(graph, alone, own);
  const auto ready_s = ready_times_s(graph, alone);
  double tree_bytes = 0;
  double other_bytes = 0;
  for (std::size_t i = 0; i < alone.collectives.size(); ++i) {
    const auto& sum = alone.collectives[i];
    const auto& sent = all_reduce_algorithm(sum.way.algorithm).between_nodes;
    const double sum_bytes = wire_bytes(sum.way.protocol, sum.size_bytes);
    const double bytes = sent.nic_bytes(graph.machine, sum_bytes);
    (sent.load == &FabricLoad::tree ? tree_bytes : other_bytes) += bytes;
    own.transfers.push_back(
        {ready_s[i], sum.span.end_s - sum.span.start_s, bytes, sent.rounds(graph.machine, sum_bytes)});
  }
  own.by_tree = tree_bytes > other_bytes;
  own.inside_too = all_reduce_algorithm(alone.collectives.back().way.algorithm).between_nodes.passes_every_gpu;
  return own;
}

namespace {

/// The jobs behind the first, and the links that their rings' edges cross.
void add_neighbours(SharedFabric& shared, std::vector<std::vector<std::vector<std::size_t>>>& routes, LinkList& list,
                    const StepSetup& setup, const Parameters& sample, const std::vector<PlacedFabric>& places) {
  const auto& neighbours = setup.fabrics->around().neighbours;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const auto& placed = places[i + 1];
    const auto machine =
        build_machine(setup.cluster, setup.transport, sample, static_cast<int>(placed.places.size()), 1);
    routes.push_back(add_routes(list, shared, placed, ring_messages(machine.nodes()), i + 1));
    shared.jobs.push_back(neighbour_job(neighbours[i], machine));
  }
}

/// The longest iteration of a neighbour alone.
double longest_neighbour_s(const SharedFabric& shared) {
  double longest_s = 0;
  for (std::size_t i = 1; i < shared.jobs.size(); ++i)
    longest_s = std::max(longest_s, shared.jobs[i].compute_s + shared.jobs[i].transfers.front().alone_s);
  return longest_s;
}

/// The job starts so long after its neighbours.
void start_at(SharedFabric& shared, double start_s) {
  shared.jobs.front().start_s = start_s;
  if (!shared.rings.empty()) shared.rings.front().job.start_s = start_s;
}

/// The first job without the others.
SharedFabric alone_on(SharedFabric shared) {
  shared.jobs.resize(1);
  if (!shared.rings.empty()) shared.rings.resize(1);
  for (auto& link : shared.links) link.flows.resize(1);
  return shared;
}

} // namespace

SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const OwnTraffic& own, double rest_s) {
  const Machine machine = machine_of(setup, sample);
  auto places = setup.fabrics->of_all_jobs(machine.nodes());
  const int last_host = has_servers(own) ? *std::max_element(own.server_hosts.begin(), own.server_hosts.end()) : 0;
  if (last_host >= machine.nodes())
    setup.fabrics->add_hosts(places.front(), machine.nodes(), last_host + 1 - machine.nodes());
  SharedFabric shared;
  LinkList list(shared, machine, places.size());
  const auto across = add_routes(list, shared, places.front(), edges_of(machine.nodes(), own), 0);
  std::vector<std::vector<std::vector<std::size_t>>> routes{
      with_edges_inside(across, own.inside_too ? machine.ranks_per_node - 1 : 0)};
  shared.jobs.push_back(own_job(machine, own, rest_s));
  add_neighbours(shared, routes, list, setup, sample, places);
  const bool is_ring = !own.by_tree && !has_servers(own);
  for (std::size_t i = 0; i < shared.jobs.size(); ++i) {
    auto& job = shared.jobs[i];
    if (i > 0) lengthen_by_own_links(job, shared.links, i);
    if (i > 0 || is_ring) job.edges_apart = find_edges_apart(shared.links, job, i, routes[i]);
    if (is_ring) shared.rings.push_back({job, machine.net_latency_s, routes[i]});
  }
  return shared;
}

NeighboursCost beside_neighbours(const StepSetup& setup, const Parameters& sample, const OwnTraffic& own, double rest_s,
                                 Fidelity requested) {
  constexpr int phases = 8;
  constexpr int iterations = 2; // from each
  auto shared = shared_fabric(setup, sample, own, rest_s);
  const double alone_s = time_shared(alone_on(shared), 1, requested).iterations_s.front();
  const double longest_s = longest_neighbour_s(shared);
  NeighboursCost cost;
  for (int phase = 0; phase < phases; ++phase) {
    start_at(shared, (phase + 0.5) / phases * longest_s);
    const auto times = time_shared(shared, iterations, requested);
    cost.added_s += (mean(times.iterations_s) - alone_s) / phases;
    cost.messages += times.messages;
  }
  constexpr double rounding = 1e-9; // of an iteration
  if (cost.added_s < rounding * alone_s) cost.added_s = 0;
  if (requested == Fidelity::full && !own.by_tree && !has_servers(own)) return cost;
  double sent_s = cost.added_s;
  for (const auto& transfer : own.transfers) sent_s += transfer.alone_s;
  cost.faster_s = std::min(cost.added_s, rounds_gap.faster * sent_s);
  cost.slower_s = cost.added_s > 0 ? rounds_gap.slower * sent_s : 0;
  return cost;
}

} // namespace ddlsim
