#include "sim/collective/ring.hpp"
#include "sim/simgrid/full.hpp"
#include "sim/simgrid/links.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <simgrid/s4u.hpp>

#include <algorithm>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace ddlsim {
namespace {

namespace s4u = simgrid::s4u;

/// One rank: where it runs, where its chunks arrive, and the delay of those chunks.
struct Rank {
  s4u::Host* host = nullptr;
  s4u::Mailbox* inbox = nullptr;
  double delay_s = 0;
};

/// The links on the way out of and into each rank, for ring neighbours only.
struct RingLinks {
  explicit RingLinks(const Machine& machine) : out(at(machine.ranks)), in(at(machine.ranks)) {}
  std::vector<std::vector<s4u::LinkInRoute>> out, in;
};

/// An edge inside a node is one link. An edge between nodes takes the NIC out, the uplinks if it leaves a leaf, the NIC
/// in; only one edge of the ring enters a node, and only one leaves it.
RingLinks make_ring_links(s4u::NetZone& zone, const Machine& machine) {
  RingLinks links(machine);
  for (int from = 0; from < machine.ranks; ++from) {
    const int to = (from + 1) % machine.ranks;
    const std::string name = std::to_string(from);
    const int node_from = machine.node_of(from);
    const int node_to = machine.node_of(to);
    if (node_from == node_to) {
      links.out[at(from)].emplace_back(make_link(zone, "intra" + name, machine.intra_Bps));
      continue;
    }
    links.out[at(from)].emplace_back(make_link(zone, "nic-out" + name, machine.nic_Bps_of(node_from)));
    if (machine.nodes_per_leaf > 0 && node_from / machine.nodes_per_leaf != node_to / machine.nodes_per_leaf) {
      links.out[at(from)].emplace_back(make_link(zone, "leaf-up" + name, machine.uplink_Bps));
      links.in[at(to)].emplace_back(make_link(zone, "leaf-down" + name, machine.uplink_Bps));
    }
    links.in[at(to)].emplace_back(make_link(zone, "nic-in" + name, machine.nic_Bps_of(node_to)));
  }
  return links;
}

std::vector<Rank> make_ranks(const Machine& machine) {
  constexpr double idle_flops = 1; // no rank computes here
  s4u::NetZone& zone = *s4u::create_star_zone("ring");
  const RingLinks links = make_ring_links(zone, machine);
  std::vector<Rank> ranks;
  for (int rank = 0; rank < machine.ranks; ++rank) {
    const std::string name = std::to_string(rank);
    s4u::Host* host = zone.create_host(name, idle_flops);
    zone.add_route(host->get_netpoint(), nullptr, nullptr, nullptr, links.out[at(rank)], false);
    zone.add_route(nullptr, host->get_netpoint(), nullptr, nullptr, links.in[at(rank)], false);
    const int before = (rank + machine.ranks - 1) % machine.ranks;
    ranks.push_back({host, s4u::Mailbox::by_name(name), ring_edge(machine, before).latency_s});
  }
  zone.seal();
  return ranks;
}

/// What a rank does: send the chunk it has, then take the next one. The inbox has a permanent receiver, so that a chunk
/// flows as soon as its sender has it and the edge is free, also while this rank is still sending or waiting. Returns
/// when the rank has its last chunk.
double run_rank(const Rank& self, s4u::Mailbox& next, int steps, std::uint64_t chunk_units) {
  self.inbox->set_receiver(s4u::Actor::self());
  for (int step = 0; step < steps; ++step) {
    next.put(no_content(), chunk_units);
    int* content = nullptr;
    const s4u::CommPtr chunk = self.inbox->get_async<int>(&content);
    chunk->wait();
    // The chunk may have come while this rank was still sending.
    s4u::this_actor::sleep_until(chunk->get_finish_time() + self.delay_s);
  }
  self.inbox->set_receiver(nullptr);
  return s4u::Engine::get_clock();
}

double simulate_ring_all_reduce(const std::vector<Rank>& ranks, double size_bytes) {
  const int steps = 2 * (static_cast<int>(ranks.size()) - 1);
  const std::uint64_t chunk_units = to_units(size_bytes / static_cast<double>(ranks.size()));
  const double start_s = s4u::Engine::get_clock();
  double end_s = start_s;
  std::size_t done = 0;
  for (std::size_t rank = 0; rank < ranks.size(); ++rank) {
    const Rank& self = ranks[rank];
    s4u::Mailbox& next = *ranks[(rank + 1) % ranks.size()].inbox;
    s4u::Actor::create("rank", self.host, [&self, &next, &end_s, &done, steps, chunk_units] {
      end_s = std::max(end_s, run_rank(self, next, steps, chunk_units));
      ++done;
    });
  }
  s4u::Engine::get_instance()->run();
  if (done != ranks.size()) throw std::logic_error("ring: ranks were left waiting");
  return end_s - start_s;
}

} // namespace

std::vector<double> simulate_ring_all_reduces(const Machine& machine, const std::vector<double>& sizes_bytes) {
  start_simgrid();
  const std::vector<Rank> ranks = make_ranks(machine);
  std::vector<double> times_s;
  times_s.reserve(sizes_bytes.size());
  for (const double size_bytes : sizes_bytes) {
    times_s.push_back(simulate_ring_all_reduce(ranks, size_bytes));
  }
  return times_s;
}

} // namespace ddlsim
