#include "sim/iteration/shared_fabric.hpp"

#include "sim/collective/collective.hpp"
#include "sim/collective/fabric_load.hpp"
#include "sim/collective/pair_exchange.hpp"
#include "sim/collective/tree.hpp"
#include "sim/iteration/step.hpp"
#include "sim/network/nic_rate.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

namespace ddlsim {

TrafficPattern pattern_of(const CollectiveKind& collective) {
  const auto pattern = collective_algorithm(collective).between_nodes.pattern;
  return pattern == TrafficPattern::in_order ? TrafficPattern::ring : pattern;
}

namespace {

bool has_servers(const JobTraffic& own) {
  return !own.server_hosts.empty();
}

/// The messages that the nodes of a ring or a double tree send at the same time. Each message crosses NICs.
std::vector<NodeMessage> edges_of(int nodes, TrafficPattern pattern) {
  if (pattern != TrafficPattern::double_tree) return ring_messages(nodes);
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

/// The messages of one node's worker: a push and a pull on every connection that leaves the node.
std::vector<NodeMessage> edges_of_worker(const JobTraffic& own, int node) {
  std::vector<NodeMessage> edges;
  for (const int host : own.server_hosts)
    for (int copy = 0; host != node && copy < own.connections_per_node; ++copy) {
      edges.push_back({node, host, 1});
      edges.push_back({host, node, 1});
    }
  return edges;
}

/// The pushes and pulls of all nodes except node `without`.
std::vector<NodeMessage> edges_of_servers(int nodes, const JobTraffic& own, int without = -1) {
  std::vector<NodeMessage> all;
  for (int node = 0; node < nodes; ++node) {
    const auto edges = edges_of_worker(own, node);
    if (node != without) all.insert(all.end(), edges.begin(), edges.end());
  }
  return all;
}

std::vector<NodeMessage> edges_of(int nodes, const JobTraffic& own) {
  return has_servers(own) ? edges_of_servers(nodes, own) : edges_of(nodes, own.pattern);
}

double edges_of_nic(int nodes, TrafficPattern pattern) {
  if (pattern != TrafficPattern::double_tree) return 1;
  return nodes == 2 ? 2 : 4;
}

/// Number of the pattern's edges that leave the busiest NIC.
double edges_of_nic(int nodes, const JobTraffic& own) {
  if (!has_servers(own)) return edges_of_nic(nodes, own.pattern);
  std::map<int, int> of_node;
  int most = 1;
  for (const auto& edge : edges_of_servers(nodes, own)) most = std::max(most, ++of_node[edge.from]);
  return most;
}

/// Maps a link's number on the fabric to its index among the shared links.
class LinkList {
public:
  LinkList(SharedFabric& fabric, const Machine& machine, std::size_t jobs)
      : fabric_(fabric), machine_(machine), jobs_(jobs) {}

  std::size_t index_of(const PlacedFabric& placed, std::size_t link) {
    const auto [place, is_new] = known_.try_emplace(link, fabric_.links.size());
    if (is_new) fabric_.links.push_back({link_Bps(machine_, placed, link), std::vector<int>(jobs_, 0), {}});
    return place->second;
  }

private:
  SharedFabric& fabric_;
  const Machine& machine_;
  std::size_t jobs_;
  std::map<std::size_t, std::size_t> known_;
};

/// Returns the links that each edge crosses, and counts the edge on each of them for that job.
std::vector<std::vector<std::size_t>> add_routes(LinkList& list, SharedFabric& fabric, const PlacedFabric& placed,
                                                 const std::vector<NodeMessage>& edges, std::size_t job) {
  std::vector<std::vector<std::size_t>> routes;
  routes.reserve(edges.size());
  for (const auto& edge : edges) {
    auto& route =
        routes.emplace_back(links_between(placed.fabric, placed.places[at(edge.from)], placed.places[at(edge.to)]));
    for (auto& link : route) {
      link = list.index_of(placed, link);
      ++fabric.links[link].flows[job];
    }
  }
  return routes;
}

/// The edges of a ring over nodes, each of them followed by `inside` edges within a node.
std::vector<std::vector<std::size_t>> with_edges_inside(const std::vector<std::vector<std::size_t>>& routes,
                                                        int inside) {
  std::vector<std::vector<std::size_t>> all;
  for (const auto& route : routes) {
    all.push_back(route);
    all.insert(all.end(), static_cast<std::size_t>(inside), {});
  }
  return all;
}

Job own_job(const Machine& machine, const JobTraffic& own, double rest_s) {
  Job job;
  job.compute_s = own.compute_s;
  job.rest_s = rest_s;
  const double edges = edges_of_nic(machine.nodes(), own);
  job.edge_Bps = nic_rate_Bps(machine.nic_Bps, {.sharers = edges});
  job.transfers = own.transfers;
  for (auto& transfer : job.transfers) transfer.edge_bytes /= edges;
  return job;
}

bool is_in_pairs(TrafficPattern pattern) {
  return pattern == TrafficPattern::halving_doubling || pattern == TrafficPattern::recursive_doubling;
}

/// The pairs that exchange, one list for each pattern: first nodes give their vector to a neighbour, then the distances
/// from 1 on, and at the end nodes get the sum back.
std::vector<std::vector<NodeMessage>> patterns_of_pairs(int nodes) {
  const Reduction reduce(nodes);
  std::vector<std::vector<NodeMessage>> patterns(1);
  for (int node = 0; node < 2 * reduce.rest; node += 2) patterns.back().push_back({node, node + 1, 1});
  for (int distance = 1; distance < reduce.numbers; distance *= 2) {
    patterns.emplace_back();
    for (int number = 0; number < reduce.numbers; ++number)
      patterns.back().push_back({reduce.rank_of(number), reduce.rank_of(number ^ distance), 1});
  }
  patterns.emplace_back();
  for (int node = 0; node < 2 * reduce.rest; node += 2) patterns.back().push_back({node + 1, node, 1});
  return patterns;
}

/// The steps of one all-reduce of `vector_bytes`, without their times.
std::vector<Transfer> steps_of_pairs(int nodes, TrafficPattern pattern, double vector_bytes, double ready_s) {
  const Reduction reduce(nodes);
  std::vector<Transfer> steps;
  const auto add = [&](double bytes, int of_pattern) {
    steps.push_back({ready_s, 0, bytes, 1, of_pattern, !steps.empty()});
  };
  if (reduce.rest > 0) add(vector_bytes, 0);
  int last = 0;
  for (int distance = 1; distance < reduce.numbers; distance *= 2)
    add(pattern == TrafficPattern::halving_doubling ? vector_bytes / (2 * distance) : vector_bytes, ++last);
  if (pattern == TrafficPattern::halving_doubling)
    for (int back = last; back > 0; --back) add(vector_bytes / (1 << back), back);
  if (reduce.rest > 0) add(vector_bytes, last + 1);
  return steps;
}

/// Sets the times of steps that take alone_s together. Each step takes the time of its bytes, and an equal part of the
/// rest.
void set_times(std::vector<Transfer>& steps, const std::vector<double>& rates_Bps, double alone_s) {
  double busy_s = 0;
  for (auto& step : steps) busy_s += step.alone_s = step.edge_bytes / rates_Bps[at(step.pattern)];
  const double share = busy_s > alone_s ? alone_s / busy_s : 1;
  for (auto& step : steps)
    step.alone_s = share * step.alone_s + std::max(0.0, alone_s - busy_s) / static_cast<double>(steps.size());
}

/// Replaces each all-reduce by its steps. The alone_s of a neighbour does not yet include delays on links that its own
/// messages share.
void split_into_steps(Job& job, const std::vector<SharedLink>& links, std::size_t index, int nodes,
                      TrafficPattern pattern, const std::vector<double>& vectors_bytes, bool is_neighbour) {
  const auto rates_Bps = alone_Bps_by_pattern(links, job, index);
  std::vector<Transfer> all;
  for (std::size_t i = 0; i < job.transfers.size(); ++i) {
    auto steps = steps_of_pairs(nodes, pattern, vectors_bytes[i], job.transfers[i].ready_s);
    double alone_s = job.transfers[i].alone_s;
    for (const auto& step : steps)
      if (is_neighbour) alone_s += step.edge_bytes / rates_Bps[at(step.pattern)] - step.edge_bytes / job.edge_Bps;
    set_times(steps, rates_Bps, alone_s);
    all.insert(all.end(), steps.begin(), steps.end());
  }
  job.transfers = std::move(all);
}

TrafficPattern pattern_of(const Neighbour& neighbour) {
  return pattern_of(all_reduce_by(neighbour.algorithm));
}

Job neighbour_job(const Neighbour& neighbour, const Machine& machine) {
  Job job;
  const auto& row = collective_algorithm(all_reduce_by(neighbour.algorithm));
  const double bytes = neighbour.all_reduce_bytes;
  const double nic_bytes = row.between_nodes.nic_bytes(machine, bytes);
  const int steps = row.between_nodes.rounds(machine, bytes);
  const bool is_ring = neighbour.algorithm == Algorithm::ring;
  const double alone_s = is_ring ? steps * machine.net_latency_s + nic_bytes / machine.nic_Bps
                                 : all_reduce_s(machine, bytes, neighbour.algorithm);
  job.compute_s = neighbour.compute_s;
  const double edges = edges_of_nic(machine.nodes(), pattern_of(neighbour));
  job.edge_Bps = nic_rate_Bps(machine.nic_Bps, {.sharers = edges});
  job.transfers = {{neighbour.compute_s, alone_s, nic_bytes / edges, steps}};
  return job;
}

/// Lengthens the time that a neighbour takes alone to that of the links that its own messages share.
void lengthen_by_own_links(Job& job, const std::vector<SharedLink>& links, std::size_t index) {
  auto& transfer = job.transfers.front();
  transfer.alone_s += transfer.edge_bytes / alone_Bps(links, job, index) - transfer.edge_bytes / job.edge_Bps;
}

/// Returns the links of each pattern's messages, and counts the messages on them for that job.
std::vector<std::vector<PairMessage>> add_pairs(LinkList& list, SharedFabric& fabric, const PlacedFabric& placed,
                                                int nodes, std::size_t job) {
  std::vector<std::vector<PairMessage>> pairs;
  const auto patterns = patterns_of_pairs(nodes);
  for (const auto& pattern : patterns) {
    pairs.emplace_back();
    for (const auto& message : pattern) {
      pairs.back().push_back({message.from, message.to, {}});
      for (const auto link :
           links_between(placed.fabric, placed.places[at(message.from)], placed.places[at(message.to)])) {
        const std::size_t index = list.index_of(placed, link);
        pairs.back().back().route.push_back(index);
        auto& shared = fabric.links[index];
        shared.by_pattern.resize(shared.flows.size());
        shared.by_pattern[job].resize(patterns.size());
        shared.flows[job] = std::max(shared.flows[job], ++shared.by_pattern[job][pairs.size() - 1]);
      }
    }
  }
  return pairs;
}

/// A job that is to be put on the fabric.
struct PlacedJob {
  Job job;
  TrafficPattern pattern = TrafficPattern::ring;
  std::vector<double> vectors_bytes{};
  std::vector<NodeMessage> edges{}; ///< empty where ranks exchange in pairs
  int edges_inside = 0;
  bool is_ring = true;
  bool is_neighbour = true;
};

void add_job(SharedFabric& shared, LinkList& list, PlacedJob one, const PlacedFabric& placed, int nodes, double hop_s) {
  const std::size_t index = shared.jobs.size();
  RingJob ring{{}, hop_s, {}, {}};
  if (is_in_pairs(one.pattern)) {
    ring.pairs = add_pairs(list, shared, placed, nodes, index);
    ring.routes.resize(at(nodes));
    one.job.patterns = static_cast<int>(ring.pairs.size());
  } else {
    ring.routes = with_edges_inside(add_routes(list, shared, placed, one.edges, index), one.edges_inside);
  }
  shared.jobs.push_back(std::move(one.job));
  shared.rings.push_back(std::move(ring));
}

/// Sets the values that depend on the links of all jobs.
void complete(SharedFabric& shared, const std::vector<PlacedJob>& all, const std::vector<int>& nodes) {
  const bool every_message =
      std::all_of(all.begin(), all.end(), [](const PlacedJob& one) { return is_in_pairs(one.pattern) || one.is_ring; });
  for (std::size_t i = 0; i < shared.jobs.size(); ++i) {
    auto& job = shared.jobs[i];
    if (is_in_pairs(all[i].pattern)) {
      split_into_steps(job, shared.links, i, nodes[i], all[i].pattern, all[i].vectors_bytes, all[i].is_neighbour);
    } else if (all[i].is_neighbour) {
      lengthen_by_own_links(job, shared.links, i);
    }
    if (all[i].is_ring) job.edges_apart = find_edges_apart(shared.links, job, i, shared.rings[i].routes);
    shared.rings[i].job = job;
  }
  if (!every_message) shared.rings.clear();
}

/// The places of the job, and then those of its neighbours.
std::vector<PlacedFabric> places_of_jobs(const StepSetup& setup, const Machine& machine, const JobTraffic& own) {
  auto places = setup.fabrics->of_all_jobs(machine.nodes());
  const int last_host = has_servers(own) ? *std::max_element(own.server_hosts.begin(), own.server_hosts.end()) : 0;
  if (last_host >= machine.nodes())
    setup.fabrics->add_hosts(places.front(), machine.nodes(), last_host + 1 - machine.nodes());
  return places;
}

/// Adds the neighbours' jobs after the setup's own.
void add_neighbours(SharedFabric& shared, LinkList& list, std::vector<PlacedJob>& all, std::vector<int>& nodes,
                    const StepSetup& setup, const Parameters& sample, const std::vector<PlacedFabric>& places) {
  const auto& neighbours = setup.fabrics->co_location().neighbours;
  for (std::size_t i = 0; i < neighbours.size(); ++i) {
    const auto& placed = places[i + 1];
    const auto machine =
        build_machine(setup.cluster, setup.transport, sample, static_cast<int>(placed.places.size()), 1);
    PlacedJob one{neighbour_job(neighbours[i], machine), pattern_of(neighbours[i])};
    one.vectors_bytes = {neighbours[i].all_reduce_bytes};
    one.edges = edges_of(machine.nodes(), one.pattern);
    one.is_ring = one.pattern == TrafficPattern::ring;
    all.push_back(one);
    nodes.push_back(machine.nodes());
    add_job(shared, list, one, placed, machine.nodes(), machine.net_latency_s);
  }
}

} // namespace

SharedFabric shared_fabric(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s) {
  const Machine machine = machine_of(setup, sample);
  const auto places = places_of_jobs(setup, machine, own);
  SharedFabric shared;
  LinkList list(shared, machine, places.size());
  PlacedJob self{own_job(machine, own, rest_s), has_servers(own) ? TrafficPattern::ring : own.pattern,
                 own.vectors_bytes};
  self.edges = edges_of(machine.nodes(), own);
  self.is_ring = !has_servers(own) && own.pattern == TrafficPattern::ring;
  self.edges_inside = own.inside_too ? machine.ranks_per_node - 1 : 0;
  self.is_neighbour = false;
  std::vector<PlacedJob> all{self};
  std::vector<int> nodes{machine.nodes()};
  add_job(shared, list, self, places.front(), machine.nodes(), machine.net_latency_s);
  add_neighbours(shared, list, all, nodes, setup, sample, places);
  complete(shared, all, nodes);
  return shared;
}

SharedFabric shared_fabric_of_worker(const StepSetup& setup, const Parameters& sample, const JobTraffic& own,
                                     int worker) {
  constexpr double long_s = 10; // length of an iteration of the endless stream
  const Machine machine = machine_of(setup, sample);
  const auto places = places_of_jobs(setup, machine, own);
  const Transfer& sent = own.transfers.front();
  const double under_way = std::min(1.0, sent.alone_s / own.asynchronous->iteration_s);
  const double of_nic = edges_of_nic(machine.nodes(), own);
  const auto of_worker = edges_of_worker(own, worker);
  const auto of_others = edges_of_servers(machine.nodes(), own, worker);
  SharedFabric shared;
  LinkList list(shared, machine, places.size() + 1);
  PlacedJob self{{}, TrafficPattern::ring, {}, of_worker, 0, false, false};
  self.job.compute_s = own.compute_s;
  self.job.edge_Bps = nic_rate_Bps(machine.nic_Bps, {.sharers = std::max(1.0, under_way * of_nic)});
  self.job.transfers = {{sent.ready_s, sent.alone_s, sent.edge_bytes / of_nic, sent.rounds}};
  PlacedJob others{{}, TrafficPattern::ring, {}, of_others, 0, false, false};
  others.job.edge_Bps = self.job.edge_Bps;
  others.job.transfers = {{0, long_s, long_s * others.job.edge_Bps, 1}};
  std::vector<PlacedJob> all{self, others};
  std::vector<int> nodes{machine.nodes(), machine.nodes()};
  for (const auto& one : {self, others})
    add_job(shared, list, one, places.front(), machine.nodes(), machine.net_latency_s);
  for (auto& link : shared.links) link.flows[1] = static_cast<int>(std::lround(under_way * link.flows[1]));
  shared.own_jobs = 2;
  add_neighbours(shared, list, all, nodes, setup, sample, places);
  complete(shared, all, nodes);
  return shared;
}

SharedFabric alone_on(SharedFabric shared) {
  const auto own = shared.own_jobs;
  shared.jobs.resize(own);
  if (!shared.rings.empty()) shared.rings.resize(own);
  for (auto& link : shared.links) {
    link.flows.resize(own);
    if (!link.by_pattern.empty()) link.by_pattern.resize(own);
  }
  return shared;
}

Machine machine_with_neighbours(const StepSetup& setup, const Parameters& sample, const JobTraffic& own) {
  const int nodes = machine_of(setup, sample).nodes();
  auto places = setup.fabrics->of_all_jobs(nodes);
  const auto& servers = own.asynchronous->servers;
  if (servers.dedicated) setup.fabrics->add_hosts(places.front(), nodes, servers.servers);
  auto all = std::make_shared<PlacedFabric>(places.front());
  for (std::size_t i = 1; i < places.size(); ++i)
    all->places.insert(all->places.end(), places[i].places.begin(), places[i].places.end());
  return build_machine(setup.cluster, setup.transport, sample, setup.gpus, setup.gpus_per_node, all);
}

} // namespace ddlsim
