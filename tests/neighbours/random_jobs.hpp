#pragma once
// Random fabrics of leaf switches with jobs on them: what the ways to time neighbours are compared on.

#include "sim/simgrid/neighbours_run.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

namespace ddlsim_test {

using ddlsim::Job;
using ddlsim::RingJob;
using ddlsim::SharedLink;
using ddlsim::Transfer;

inline double uniform(std::mt19937_64& random, double low, double high) {
  return low + (high - low) * (static_cast<double>(random() >> 11) * 0x1p-53);
}

inline int whole(std::mt19937_64& random, int low, int high) {
  return low + static_cast<int>(random() % static_cast<unsigned>(high - low + 1));
}

/// What is drawn, and from where.
struct Draws {
  int fewest_ranks = 4;
  int most_ranks = 64;
  int most_transfers = 8;
  int jobs = 2;
};

/// Rings on leaf switches, each leaf with a link up and a link down.
struct Fabric {
  std::vector<double> rates_Bps{};
  std::vector<RingJob> rings{};
};

/// The edges of a ring whose ranks lie on random leaves, in the order of the leaves or in none.
inline std::vector<std::vector<std::size_t>> random_routes(std::mt19937_64& random, int ranks, int leaves) {
  std::vector<std::size_t> leaf_of;
  for (int rank = 0; rank < ranks; ++rank) leaf_of.push_back(static_cast<std::size_t>(whole(random, 0, leaves - 1)));
  if (random() % 2 == 0) std::sort(leaf_of.begin(), leaf_of.end());
  std::vector<std::vector<std::size_t>> routes;
  for (std::size_t rank = 0; rank < leaf_of.size(); ++rank) {
    const std::size_t from = leaf_of[rank];
    const std::size_t to = leaf_of[(rank + 1) % leaf_of.size()];
    routes.emplace_back();
    if (from != to) routes.back() = {2 * from, 2 * to + 1};
  }
  return routes;
}

/// Transfers of 0.3 to 2 times the compute time without latency, which is up to two thirds of a transfer on top.
inline RingJob random_ring(std::mt19937_64& random, const Draws& draws, int leaves, double edge_Bps) {
  const double ranks = std::exp(uniform(random, std::log(draws.fewest_ranks), std::log(draws.most_ranks + 1)));
  RingJob ring;
  ring.routes = random_routes(random, static_cast<int>(ranks), leaves);
  ring.job.compute_s = uniform(random, 0.02, 0.1);
  ring.job.rest_s = uniform(random, 0, 0.01);
  ring.job.edge_Bps = edge_Bps;
  const int transfers = whole(random, 1, draws.most_transfers);
  const double edge_bytes = ring.job.compute_s * uniform(random, 0.3, 2) * edge_Bps / transfers;
  const int steps = 2 * (static_cast<int>(ring.routes.size()) - 1);
  ring.hop_s = uniform(random, 0, 2) * edge_bytes / edge_Bps / steps;
  for (int i = 0; i < transfers; ++i)
    ring.job.transfers.push_back({ring.job.compute_s * (i + 1) / transfers, 0, edge_bytes, steps});
  return ring;
}

/// A link between switches carries 0.7 to 1.5 times what the job with most messages on it wants.
inline Fabric random_fabric(std::mt19937_64& random, const Draws& draws) {
  const int leaves = whole(random, 2, 4);
  const double edge_Bps = uniform(random, 1e9, 10e9);
  const double room = uniform(random, 0.7, 1.5);
  Fabric fabric{std::vector<double>(static_cast<std::size_t>(2 * leaves), edge_Bps), {}};
  for (int job = 0; job < draws.jobs; ++job) fabric.rings.push_back(random_ring(random, draws, leaves, edge_Bps));
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  for (std::size_t i = 0; i < links.size(); ++i)
    fabric.rates_Bps[i] =
        edge_Bps * room * std::max(1, *std::max_element(links[i].flows.begin(), links[i].flows.end()));
  return fabric;
}

inline double alone_iteration_s(const Job& job) {
  double end_s = 0;
  for (const Transfer& transfer : job.transfers) end_s = std::max(end_s, transfer.ready_s) + transfer.alone_s;
  return std::max(end_s, job.compute_s) + job.rest_s;
}

/// alone_s as on edges that are all alike: latency and bytes one after another.
inline void time_alone_in_parts(Fabric& fabric) {
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  for (std::size_t i = 0; i < fabric.rings.size(); ++i)
    for (Transfer& transfer : fabric.rings[i].job.transfers)
      transfer.alone_s =
          transfer.edge_bytes / alone_Bps(links, fabric.rings[i].job, i) + transfer.rounds * fabric.rings[i].hop_s;
}

/// alone_s as every message takes it: each transfer of the ring alone. Transfers of one ring are alike.
inline void time_alone_by_messages(Fabric& fabric) {
  for (RingJob& ring : fabric.rings) {
    RingJob one = ring;
    one.job.transfers = {{0, 1, ring.job.transfers.front().edge_bytes, 1}};
    one.job.start_s = one.job.compute_s = one.job.rest_s = 0;
    const double alone_s = ddlsim::simulate_every_message_in_child(fabric.rates_Bps, {one}, 1).iterations_s.front();
    for (Transfer& transfer : ring.job.transfers) transfer.alone_s = alone_s;
  }
}

inline std::vector<Job> jobs_of(const Fabric& fabric) {
  std::vector<Job> jobs;
  for (const RingJob& ring : fabric.rings) jobs.push_back(ring.job);
  return jobs;
}

inline void set_edges_apart(Fabric& fabric) {
  const auto links = links_of_rings(fabric.rates_Bps, fabric.rings);
  for (std::size_t i = 0; i < fabric.rings.size(); ++i)
    fabric.rings[i].job.edges_apart = find_edges_apart(links, fabric.rings[i].job, i, fabric.rings[i].routes);
}

/// Each neighbour begins at any moment of its iteration.
inline void draw_start(std::mt19937_64& random, Fabric& fabric) {
  for (std::size_t i = 1; i < fabric.rings.size(); ++i) {
    Job& neighbour = fabric.rings[i].job;
    neighbour.start_s = uniform(random, 0, alone_iteration_s(neighbour));
  }
}

inline double mean_s(const ddlsim::SharedTimes& times) {
  double sum_s = 0;
  for (const double iteration_s : times.iterations_s) sum_s += iteration_s;
  return sum_s / static_cast<double>(times.iterations_s.size());
}

} // namespace ddlsim_test
