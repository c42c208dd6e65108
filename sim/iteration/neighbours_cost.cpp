#include "sim/iteration/neighbours_cost.hpp"

#include "sim/collective/collective.hpp"
#include "sim/iteration/step.hpp"
#include "sim/neighbours/jobs.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/neighbours_run.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <optional>

namespace ddlsim {
namespace {

/// Returns when each collective could have started, seconds: when everything that its operations wait for had ended.
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
    if (span.start_s > free_s)
      // the collective waited for its operations or for a tick, and not for the collective before it
      ready_s[i] = span.start_s;
    free_s = span.end_s;
  }
  return ready_s;
}

double mean(const std::vector<double>& values) {
  return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

SharedTimes time_shared(const SharedFabric& shared, int iterations, Fidelity requested) {
  if (requested == Fidelity::full && !shared.rings.empty()) {
    std::vector<double> rates_Bps;
    for (const auto& link : shared.links) rates_Bps.push_back(link.rate_Bps);
    return simulate_every_message_in_child(rates_Bps, shared.rings, iterations);
  }
  return simulate_rounds_in_child(shared.links, shared.jobs, iterations);
}

/// Bytes of the shards on one server.
struct ServerLoad {
  double bytes = 0; ///< bytes of all shards, in as many copies as one node sends
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

/// Bytes that the busiest NIC sends. A node sends its shards, except those of servers on the same node. The host of a
/// server sends the sums to the other nodes.
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

/// The graph's asynchronous servers, as GraphPass runs them. A worker's compute ends with its last operation.
AsyncServers asynchronous_servers(const Graph& graph, const Execution& alone, const ServerExchange& exchange) {
  std::vector<double> compute_end_s(graph.streams.size(), 0);
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == OperationKind::compute) {
      double& end_s = compute_end_s[graph.operations[i].stream];
      end_s = std::max(end_s, alone.spans[i].end_s);
    }
  std::erase(compute_end_s, 0.0);
  AsyncExchange async;
  async.exchange = exchange;
  async.compute_s = compute_end_s.front();
  async.compute_spread = graph.servers.compute_spread_s / async.compute_s;
  async.slow_factor = compute_end_s.back() / async.compute_s;
  return {graph.servers.machine, async, alone.end_s};
}

JobTraffic traffic_of_servers(const Graph& graph, const Execution& alone, JobTraffic own) {
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
  if (graph.servers.asynchronous) own.asynchronous = asynchronous_servers(graph, alone, exchange);
  own.transfers = {{ready_s, std::max(0.0, alone.end_s - ready_s),
                    both_ways * bytes_of_busiest_nic(loads, hosts, nodes), static_cast<int>(exchange.shards.size())}};
  return own;
}

} // namespace

JobTraffic job_traffic(const Graph& graph, const Execution& alone) {
  JobTraffic own;
  for (std::size_t i = 0; i < graph.operations.size(); ++i)
    if (graph.operations[i].kind == OperationKind::compute)
      own.compute_s = std::max(own.compute_s, alone.spans[i].end_s);
  if (alone.collectives.empty()) return traffic_of_servers(graph, alone, own);
  const auto ready_s = ready_times_s(graph, alone);
  std::map<TrafficPattern, double> nic_bytes;
  for (std::size_t i = 0; i < alone.collectives.size(); ++i) {
    const auto& collective = alone.collectives[i];
    const auto& sent = collective_algorithm(collective.cost.collective).between_nodes;
    const double vector_bytes = collective.cost.wire_bytes;
    const double bytes = sent.nic_bytes(graph.machine, vector_bytes);
    nic_bytes[pattern_of(collective.cost.collective)] += bytes;
    own.vectors_bytes.push_back(vector_bytes);
    own.transfers.push_back(
        {ready_s[i], collective.span.end_s - collective.span.start_s, bytes, sent.rounds(graph.machine, vector_bytes)});
  }
  for (const auto& [pattern, bytes] : nic_bytes)
    if (bytes > nic_bytes[own.pattern]) own.pattern = pattern;
  own.inside_too = collective_algorithm(alone.collectives.back().cost.collective).between_nodes.passes_every_gpu;
  return own;
}

namespace {

/// The longest time of a neighbour's iteration without other jobs, seconds.
double longest_neighbour_s(const SharedFabric& shared) {
  double longest_s = 0;
  for (std::size_t i = shared.own_jobs; i < shared.jobs.size(); ++i) {
    double lasts_s = shared.jobs[i].compute_s;
    for (const auto& transfer : shared.jobs[i].transfers) lasts_s += transfer.alone_s;
    longest_s = std::max(longest_s, lasts_s);
  }
  return longest_s;
}

/// Makes the job start `start_s` after its neighbours.
void start_at(SharedFabric& shared, double start_s) {
  shared.jobs.front().start_s = start_s;
  if (!shared.rings.empty()) shared.rings.front().job.start_s = start_s;
}

} // namespace

namespace {

/// Times of an iteration alone and beside neighbours: the mean over pairs of iterations that begin at eight moments of
/// the longest neighbour's iteration.
struct TimesWithNeighbours {
  double alone_s = 0;
  double beside_s = 0;
  double messages = 0;
};

TimesWithNeighbours time_beside(SharedFabric shared, Fidelity requested) {
  constexpr int phases = 8;
  constexpr int iterations = 2; // number of iterations from each of the eight moments on
  TimesWithNeighbours times;
  times.alone_s = time_shared(alone_on(shared), 1, requested).iterations_s.front();
  const double longest_s = longest_neighbour_s(shared);
  double added_s = 0;
  for (int phase = 0; phase < phases; ++phase) {
    start_at(shared, (phase + 0.5) / phases * longest_s);
    const auto beside = time_shared(shared, iterations, requested);
    added_s += (mean(beside.iterations_s) - times.alone_s) / phases;
    times.messages += beside.messages;
  }
  constexpr double rounding = 1e-9; // relative error of an iteration's time
  times.beside_s = times.alone_s + (added_s < rounding * times.alone_s ? 0 : added_s);
  return times;
}

/// Whether some link carries messages of both the setup's jobs and other jobs.
bool do_jobs_meet(const SharedFabric& shared) {
  const auto own = static_cast<std::ptrdiff_t>(shared.own_jobs);
  const auto sends = [](int flows) { return flows > 0; };
  return std::any_of(shared.links.begin(), shared.links.end(), [&](const SharedLink& link) {
    const auto others = link.flows.begin() + own;
    return std::any_of(link.flows.begin(), others, sends) && std::any_of(others, link.flows.end(), sends);
  });
}

NeighboursCost every_message_of_async(const StepSetup& setup, const Parameters& sample, const JobTraffic& own) {
  const auto& [servers, exchange, iteration_s] = *own.asynchronous;
  const Machine machine = machine_with_neighbours(setup, sample, own);
  std::vector<RingBeside> beside;
  int first = machine.nodes() + (servers.dedicated ? servers.servers : 0);
  for (const auto& neighbour : setup.fabrics->co_location().neighbours) {
    const int nodes = static_cast<int>(setup.fabrics->of_all_jobs(machine.nodes())[beside.size() + 1].places.size());
    beside.push_back({first, nodes, neighbour.compute_s, neighbour.all_reduce_bytes});
    first += nodes;
  }
  const auto alone = simulate_async_servers(machine, servers, exchange);
  const auto with = simulate_async_servers(machine, servers, exchange, std::nullopt, beside);
  return {std::max(0.0, with.iteration_s - alone.iteration_s), alone.simgrid_messages + with.simgrid_messages};
}

/// Whether SimGrid can run neighbours beside asynchronous servers with every message. It can for rings that have at
/// most 64 nodes in all.
bool can_run_every_message(const std::vector<Neighbour>& neighbours) {
  constexpr int most_nodes = 64;
  int nodes = 0;
  for (const auto& neighbour : neighbours) nodes += neighbour.nodes;
  const auto is_ring = [](const Neighbour& one) { return one.algorithm == Algorithm::ring; };
  return nodes <= most_nodes && std::all_of(neighbours.begin(), neighbours.end(), is_ring);
}

/// The cost of neighbours for asynchronous servers. Each worker has its own pace, so the job's rate is the mean over
/// its workers.
NeighboursCost beside_async(const StepSetup& setup, const Parameters& sample, const JobTraffic& own,
                            Fidelity requested) {
  constexpr int most_workers = 4;
  if (!do_jobs_meet(shared_fabric_of_worker(setup, sample, own, 0))) return {};
  if (requested == Fidelity::full && can_run_every_message(setup.fabrics->co_location().neighbours))
    return every_message_of_async(setup, sample, own);
  const int nodes = machine_of(setup, sample).nodes();
  const int workers = std::min(nodes, most_workers);
  double rate_per_s = 0;
  NeighboursCost cost;
  for (int i = 0; i < workers; ++i) {
    const auto times = time_beside(shared_fabric_of_worker(setup, sample, own, i * nodes / workers), requested);
    rate_per_s += 1 / (own.asynchronous->iteration_s + times.beside_s - times.alone_s) / workers;
    cost.messages += times.messages;
  }
  cost.added_s = std::max(0.0, 1 / rate_per_s - own.asynchronous->iteration_s);
  cost.why = "beside neighbours up to four asynchronous workers stand for all, each beside what the others have under "
             "way on average";
  return cost;
}

} // namespace

NeighboursCost neighbours_cost(const StepSetup& setup, const Parameters& sample, const JobTraffic& own, double rest_s,
                               Fidelity requested) {
  if (own.asynchronous) return beside_async(setup, sample, own, requested);
  const auto shared = shared_fabric(setup, sample, own, rest_s);
  const auto times = time_beside(shared, requested);
  return {times.beside_s - times.alone_s, times.messages};
}

} // namespace ddlsim
