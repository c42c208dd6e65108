#include "sim/parameter_server/async_draws.hpp"
#include "sim/parameter_server/async_network.hpp"
#include "sim/parameter_server/lanes.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <vector>

namespace ddlsim {
namespace {

/// More workers than this are grouped: one customer stands for several and brings the bytes of all of them to the
/// station. Fewer customers leave more to chance; mean value analysis corrects for that, see `async_reduced`.
constexpr int most_followed_customers = 64;

/// Measured iterations of all customers together. With spread 0.1 and the phases' own spread their mean is known to
/// half a per cent.
constexpr int enough_iterations = 4000;

/// Servers on several worker nodes, each slower than this share of the NIC, are stations like hosts of their own: the
/// NIC has room for what else passes.
constexpr double narrow_process_share = 0.25;

struct Customer {
  ComputeDraws draws;
  double mean_compute = 1;
  bool hosting = false;
  int node = 0;
  int iteration = 0;
  bool pulling = true;
  std::size_t push = 0; ///< the next, or the one under way
  bool under_way = false;
  double wakes_s = 0; ///< what it waits for while nothing is under way
  std::size_t segment = 0;
  double segment_left = 0; ///< bytes
  double message_left = 0; ///< bytes
  double rate_Bps = 0;
  double started_s = 0;                 ///< the iteration
  std::vector<double> pulled_updates{}; ///< of each push, as far as they were in when its parameters left the server
  double compute_from_s = 0;
  double factor = 1;
  double measured_from_s = 0;
  double measured_s = 0;
};

/// The network at `now_s`.
struct AsyncFluid {
  const AsyncNetwork& network;
  const AsyncExchange& async;
  double group = 1; ///< workers a customer stands for
  std::vector<Customer> customers;
  int to_measure = 0;
  double now_s = 0;
  std::vector<double> updates{}; ///< customers that each push was applied of, so far
  double stale_bytes = 0;        ///< bytes x updates of others
  double bytes = 0;
  bool pulls_changed = true; ///< the flows that share the station in that direction
  bool pushes_changed = true;
  std::vector<Customer*> sharing{}; ///< the station: in one direction, and in both
  std::vector<Customer*> sharing_both{};
};

const AsyncMessage& message_of(const AsyncFluid& fluid, const Customer& customer) {
  return customer.pulling ? fluid.network.pull : fluid.network.pushes[customer.push];
}

/// A parameter leaves the server, in the mean over its message, half way: its version is the mean of start and end.
void note_updates(const AsyncFluid& fluid, Customer& customer, bool start) {
  customer.pulled_updates.resize(fluid.updates.size());
  for (std::size_t i = 0; i < fluid.updates.size(); ++i) {
    const double half = 0.5 * fluid.updates[i];
    customer.pulled_updates[i] = start ? half : customer.pulled_updates[i] + half;
  }
}

void mark_changed(AsyncFluid& fluid, const Customer& customer) {
  (customer.pulling ? fluid.pulls_changed : fluid.pushes_changed) = true;
}

void begin(AsyncFluid& fluid, Customer& customer) {
  mark_changed(fluid, customer);
  if (customer.pulling) note_updates(fluid, customer, true);
  const AsyncMessage& message = message_of(fluid, customer);
  customer.under_way = true;
  customer.segment = 0;
  customer.segment_left = message.segments.front().size_bytes;
  customer.message_left = message.size_bytes;
}

void end_iteration(AsyncFluid& fluid, Customer& customer) {
  ++customer.iteration;
  if (customer.iteration == first_measured) customer.measured_from_s = customer.started_s;
  if (customer.iteration == round_iterations) {
    customer.measured_s = customer.started_s - customer.measured_from_s;
    --fluid.to_measure;
  }
}

/// What follows a message that has ended, or the iteration's start.
void go_on(AsyncFluid& fluid, Customer& customer) {
  const AsyncNetwork& network = fluid.network;
  mark_changed(fluid, customer);
  customer.under_way = false;
  if (customer.pulling) {
    customer.pulling = false;
    customer.push = 0;
    customer.factor = customer.draws.next() * customer.mean_compute;
    note_updates(fluid, customer, false);
    customer.compute_from_s = fluid.now_s + 0.5 * network.delay_s;
  } else {
    if (is_measured(customer.iteration)) {
      const double size_bytes = network.pushes[customer.push].size_bytes;
      fluid.stale_bytes += size_bytes * (fluid.updates[customer.push] - customer.pulled_updates[customer.push]);
      fluid.bytes += size_bytes;
    }
    ++fluid.updates[customer.push];
    ++customer.push;
  }
  if (customer.push < network.pushes.size()) {
    customer.wakes_s =
        std::max(fluid.now_s, customer.compute_from_s + customer.factor * network.pushes[customer.push].ready_s);
    return;
  }
  const double computed_s = std::max(customer.factor * fluid.async.compute_s,
                                     network.others_end_s + (customer.factor - 1) * fluid.async.compute_s);
  customer.started_s = std::max(fluid.now_s + 0.5 * network.delay_s, customer.compute_from_s + computed_s);
  customer.pulling = true;
  customer.wakes_s = customer.started_s;
  end_iteration(fluid, customer);
}

/// The most that a flow takes of the station, by its own side: its connection and its node's NIC, which it shares with
/// the worker's other flows and with other workers of the node.
double own_bound_Bps(const AsyncFluid& fluid, const Customer& customer) {
  const AsyncNetwork& network = fluid.network;
  int same_way = 1; // of the node's workers
  int other_way = 0;
  if (network.workers_per_node > 1 && fluid.group == 1) {
    for (const Customer& other : fluid.customers) {
      if (&other == &customer || other.node != customer.node || !other.under_way) continue;
      ++(other.pulling == customer.pulling ? same_way : other_way);
    }
  }
  const int flows = message_of(fluid, customer).segments[customer.segment].flows;
  const bool slow = customer.node == 0 && fluid.group == 1;
  double own_Bps = network.nic_Bps / same_way;
  if (other_way > 0) own_Bps = std::min(own_Bps, network.both_ways_Bps / (same_way + other_way));
  own_Bps *= slow ? network.slow_nic_factor : 1.0;
  return fluid.group * std::min(network.connection_Bps, own_Bps / flows);
}

/// The only serving node's own workers: their bytes stay off the station when that is a NIC.
bool bypasses(const AsyncFluid& fluid, const Customer& customer) {
  return customer.hosting && fluid.network.process_Bps >= fluid.network.nic_Bps;
}

/// Max-min fairness on one link: flows bound below the even share leave the rest to the others.
void share_link(std::vector<Customer*>& active, double link_Bps) {
  double left_Bps = link_Bps;
  std::size_t open = active.size();
  for (bool settled = true; settled && open > 0;) {
    settled = false;
    const double even_Bps = left_Bps / static_cast<double>(open);
    for (std::size_t i = 0; i < open;) {
      if (active[i]->rate_Bps > even_Bps) {
        ++i;
        continue;
      }
      left_Bps -= active[i]->rate_Bps;
      std::swap(active[i], active[--open]);
      settled = true;
    }
  }
  for (std::size_t i = 0; i < open; ++i) {
    active[i]->rate_Bps = left_Bps / static_cast<double>(open);
  }
}

/// The station in one direction.
void share_direction(AsyncFluid& fluid, bool pulling) {
  auto& sharing = fluid.sharing;
  sharing.clear();
  for (Customer& customer : fluid.customers) {
    if (!customer.under_way || customer.pulling != pulling) continue;
    customer.rate_Bps = own_bound_Bps(fluid, customer);
    if (bypasses(fluid, customer)) {
      customer.rate_Bps *= fluid.network.loopback_Bps / fluid.network.nic_Bps;
    } else {
      sharing.push_back(&customer);
    }
  }
  share_link(sharing, fluid.network.server_Bps);
  fluid.sharing_both.insert(fluid.sharing_both.end(), sharing.begin(), sharing.end());
}

/// What each gets of its direction bounds what it gets of the two together: one is within the other.
void share_station(AsyncFluid& fluid) {
  const bool meet = fluid.network.both_ways_Bps < unlimited_Bps;
  fluid.sharing_both.clear();
  if (fluid.pulls_changed || (meet && fluid.pushes_changed)) share_direction(fluid, true);
  if (fluid.pushes_changed || (meet && fluid.pulls_changed)) share_direction(fluid, false);
  if (meet && !fluid.sharing_both.empty()) share_link(fluid.sharing_both, fluid.network.both_ways_Bps);
}

void share_nodes(AsyncFluid& fluid) {
  double pulls = 0;
  double pushes = 0;
  for (const Customer& customer : fluid.customers) {
    if (customer.under_way) (customer.pulling ? pulls : pushes) += fluid.group;
  }
  for (Customer& customer : fluid.customers) {
    if (!customer.under_way) continue;
    const double with = (customer.pulling ? pulls : pushes) - 1;
    const double against = customer.pulling ? pushes : pulls;
    const double transfer_s = colocated_transfer_s(fluid.network, customer.hosting, with, against);
    customer.rate_Bps = fluid.group * fluid.network.busiest_bytes / transfer_s;
  }
}

double next_change_s(const AsyncFluid& fluid) {
  double next_s = never_s;
  for (const Customer& customer : fluid.customers) {
    const double wait_s =
        customer.under_way ? customer.segment_left * fluid.group / customer.rate_Bps : customer.wakes_s - fluid.now_s;
    next_s = std::min(next_s, wait_s);
  }
  return std::max(0.0, next_s);
}

void advance(AsyncFluid& fluid, double wait_s) {
  fluid.now_s += wait_s;
  for (Customer& customer : fluid.customers) {
    if (!customer.under_way) {
      if (customer.wakes_s <= fluid.now_s) begin(fluid, customer);
      continue;
    }
    const AsyncMessage& message = message_of(fluid, customer);
    customer.segment_left -= wait_s * customer.rate_Bps / fluid.group;
    if (customer.segment_left > rounding_share * message.size_bytes) continue;
    if (++customer.segment < message.segments.size()) {
      customer.segment_left = message.segments[customer.segment].size_bytes;
      mark_changed(fluid, customer);
    } else {
      go_on(fluid, customer);
      if (customer.wakes_s <= fluid.now_s) begin(fluid, customer);
    }
  }
}

std::vector<Customer> make_customers(const AsyncNetwork& network, const AsyncExchange& async, int customers,
                                     double iteration, int round) {
  std::vector<Customer> all;
  for (int i = 0; i < customers; ++i) {
    Customer customer{ComputeDraws(async.seed, i, round, async.compute_spread, iteration)};
    customer.node = i / network.workers_per_node;
    const double place = static_cast<double>(i) / customers * network.workers / network.workers_per_node;
    customer.hosting = place < network.serving_nodes;
    const double slow_share = std::min(1.0, static_cast<double>(customers) / network.workers); // of a group
    if (customer.node == 0) customer.mean_compute = 1 + slow_share * (async.slow_factor - 1);
    all.push_back(customer);
  }
  return all;
}

/// Fewer, larger pushes; each is ready when the last of its parts is.
void merge_pushes(AsyncNetwork& network) {
  std::vector<AsyncMessage> merged;
  for (std::size_t i = 0; i < network.pushes.size(); ++i) {
    AsyncMessage& push = network.pushes[i];
    const bool last = i + 1 == network.pushes.size();
    const bool full = merged.empty() || merged.back().size_bytes >= least_push_share * network.busiest_bytes;
    if (full || last) {
      merged.push_back(push);
      continue;
    }
    merged.back().ready_s = push.ready_s;
    merged.back().size_bytes += push.size_bytes;
    for (const AsyncSegment& segment : push.segments) {
      if (segment.flows == merged.back().segments.back().flows) {
        merged.back().segments.back().size_bytes += segment.size_bytes;
      } else {
        merged.back().segments.push_back(segment);
      }
    }
  }
  network.pushes = merged;
}

struct RoundResult {
  double updates_per_s = 0;
  double stale_updates = 0; ///< of other customers
};

RoundResult run_round(const AsyncNetwork& network, const AsyncExchange& async, int customers, double iteration,
                      int round) {
  AsyncFluid fluid{network, async, static_cast<double>(network.workers) / customers,
                   make_customers(network, async, customers, iteration, round), customers};
  fluid.updates.assign(network.pushes.size(), 0.0);
  const bool by_nodes = network.serving_nodes > 1 && network.process_Bps > narrow_process_share * network.nic_Bps;
  while (fluid.to_measure > 0) {
    if (by_nodes) {
      share_nodes(fluid);
    } else {
      share_station(fluid);
    }
    fluid.pulls_changed = fluid.pushes_changed = false;
    advance(fluid, next_change_s(fluid));
  }
  RoundResult result;
  for (const Customer& customer : fluid.customers) {
    result.updates_per_s += fluid.group * measured_iterations / customer.measured_s;
  }
  result.stale_updates = fluid.stale_bytes / fluid.bytes;
  return result;
}

} // namespace

AsyncTiming async_reduced(const Machine& machine, const ServerMachine& servers, const AsyncExchange& async) {
  AsyncNetwork network = build_async_network(machine, servers, async);
  if (network.busiest_bytes == 0) return async_closed_form(machine, servers, async);
  merge_pushes(network);
  const int customers = std::min(network.workers, most_followed_customers);
  const int rounds = 1 + enough_iterations / (customers * measured_iterations);
  const double iteration = async_closed_form(machine, servers, async).iteration_s / async.compute_s;
  double iteration_s = 0;
  double stale_updates = 0;
  for (int round = 0; round < rounds; ++round) {
    const RoundResult result = run_round(network, async, customers, iteration, round);
    iteration_s += network.workers / result.updates_per_s / rounds;
    stale_updates += result.stale_updates / rounds;
  }
  AsyncTiming timing;
  timing.iteration_s = iteration_s;
  if (customers < network.workers) { // takes off what grouping added, by mean value analysis
    timing.iteration_s +=
        async_closed_form(machine, servers, async).iteration_s - mean_value_iteration_s(network, async, customers);
  }
  timing.updates_per_s = network.workers / timing.iteration_s;
  if (customers > 1) timing.mean_staleness = stale_updates / (customers - 1) * (network.workers - 1);
  timing.busiest_server = network.busiest_server;
  timing.busiest_server_share = timing.updates_per_s * network.busiest_bytes / network.server_Bps;
  return timing;
}

} // namespace ddlsim
