// Closed forms against the formulas of the textbooks, written down here once more from the papers, for every number of
// ranks from 1 to 4096 on an ideal network: one switch, equal links.

#include "sim/collective/tree.hpp"
#include "tests/simgrid/exchanges.hpp"
#include "tests/simgrid/scale.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace ddlsim {
namespace {

constexpr int most = 4096;

constexpr double rate_Bps = 12.5e9;
constexpr double latency_s = 7e-6;
constexpr double swept_bytes[] = {4e3, 3e6 + 1, 1e8}; // all latency, between, all bytes

Machine ideal(int nodes) {
  Machine machine;
  machine.ranks = nodes;
  machine.nic_Bps = rate_Bps;
  machine.net_latency_s = latency_s;
  return machine;
}

double closed_s(const Machine& machine, double size_bytes, Algorithm algorithm) {
  return executor_of(Engine::formula).all_reduces(machine, {size_bytes}, algorithm).times_s.front();
}

/// Patarasuk and Yuan 2009: 2(n-1) steps, a step moves S/n.
double ring_s(double n, double size_bytes, double step_s, double Bps) {
  return 2 * (n - 1) * (step_s + size_bytes / n / Bps);
}

/// Thakur, Rabenseifner and Gropp 2005, section 4.5: 2 log2 p steps that move S/2, S/4, ... S/p and back, p the power
/// of two not above n; if there are ranks beyond p, they hand in their vector before and get the sum after.
double halving_doubling_s(int n, double size_bytes) {
  int p = 1;
  double seconds = 0;
  for (double part_bytes = size_bytes / 2; 2 * p <= n; p *= 2, part_bytes /= 2)
    seconds += 2 * (latency_s + part_bytes / rate_Bps);
  if (p < n) seconds += 2 * (latency_s + size_bytes / rate_Bps);
  return seconds;
}

/// Sanders, Speck and Traeff 2009: each of two trees takes half of the bytes in K chunks up L levels and down again. A
/// hop of an inner node takes or gives two chunks, one for each child. Behind the first, a chunk of each tree costs an
/// inner node four chunks out of its NIC: up and two down in its own tree, up as a leaf of the other. Two nodes have
/// but one child, and two chunks to send: up in one tree, down in the other.
double double_tree_s(int n, double size_bytes, double chunk_bytes) {
  const double hops = 2 * std::ceil(std::log2(n));
  const double chunks = size_bytes / 2 / chunk_bytes;
  const double children = n == 2 ? 1 : 2;
  const double chunk_s = chunk_bytes / rate_Bps;
  return hops * (latency_s + children * chunk_s) + (chunks - 1) * 2 * children * chunk_s;
}

template <class Check> void for_every_case(const Check& check) {
  for (int n = 1; n <= most; ++n)
    for (const double size_bytes : swept_bytes) check(n, size_bytes);
}

} // namespace

TEST_CASE("textbook ring, every n to 4096", "[textbook]") {
  for_every_case([](int n, double size_bytes) {
    INFO(n << " ranks, " << size_bytes << " bytes");
    CHECK(closed_s(ideal(n), size_bytes, Algorithm::ring) ==
          Approx(ring_s(n, size_bytes, latency_s, rate_Bps)).epsilon(promised));
  });
}

TEST_CASE("textbook ring inside one node, every n to 4096", "[textbook]") {
  for_every_case([](int n, double size_bytes) {
    Machine machine;
    machine.ranks = machine.ranks_per_node = n;
    machine.intra_Bps = 60e9;
    machine.intra_latency_s = 2e-6;
    INFO(n << " ranks, " << size_bytes << " bytes");
    CHECK(closed_s(machine, size_bytes, Algorithm::ring) ==
          Approx(ring_s(n, size_bytes, 2e-6, 60e9)).epsilon(promised));
  });
}

TEST_CASE("textbook hierarchical ring: a ring inside, a ring of nodes, every number of nodes to 4096", "[textbook]") {
  for (const int gpus : {1, 3, 8}) {
    for_every_case([gpus](int nodes, double size_bytes) {
      Machine machine = ideal(gpus * nodes);
      machine.ranks_per_node = gpus;
      machine.intra_Bps = 60e9;
      machine.intra_latency_s = 2e-6;
      INFO(nodes << " nodes of " << gpus << ", " << size_bytes << " bytes");
      const double exact_s = ring_s(gpus, size_bytes, 2e-6, 60e9) + ring_s(nodes, size_bytes, latency_s, rate_Bps);
      CHECK(closed_s(machine, size_bytes, Algorithm::hierarchical_ring) == Approx(exact_s).epsilon(promised));
    });
  }
}

TEST_CASE("textbook halving-doubling, every n to 4096, powers of two or not", "[textbook]") {
  for_every_case([](int n, double size_bytes) {
    INFO(n << " ranks, " << size_bytes << " bytes");
    CHECK(closed_s(ideal(n), size_bytes, Algorithm::halving_doubling) ==
          Approx(halving_doubling_s(n, size_bytes)).epsilon(promised));
  });
}

TEST_CASE("textbook double tree, every n to 4096", "[textbook]") {
  for_every_case([](int n, double size_bytes) {
    INFO(n << " ranks, " << size_bytes << " bytes");
    const double exact_s = n == 1 ? 0 : double_tree_s(n, size_bytes, tree_chunk_bytes(ideal(n), size_bytes));
    CHECK(closed_s(ideal(n), size_bytes, Algorithm::tree) == Approx(exact_s).epsilon(promised));
  });
}

// A server takes N copies in through its NIC and gives N out; a worker gives a copy to each of P servers: whoever has
// more of them is the bottleneck. Push and pull of a server are two machines that every tensor passes in one order
// (Johnson 1954): all of them pass the first, or the second, but the largest passes both; and a latency each way.
TEST_CASE("textbook parameter servers on their own hosts, every number of workers to 4096", "[textbook]") {
  const std::vector<double> tensors_bytes = {3e6, 8e6, 1e5, 5e6};
  const double sum_bytes = std::accumulate(tensors_bytes.begin(), tensors_bytes.end(), 0.0);
  const double largest_bytes = *std::max_element(tensors_bytes.begin(), tensors_bytes.end());
  for (const int servers : {1, 4}) {
    const ServerExchange exchange = on_each_server(servers, tensors_bytes);
    for (int workers = 1; workers <= most; ++workers) {
      INFO(workers << " workers, " << servers << " servers");
      const auto timing =
          executor_of(Engine::formula).server_exchange(ideal(workers), server_machine(servers, true), exchange);
      const double exact_s = std::max(workers, servers) * (sum_bytes + largest_bytes) / rate_Bps + 2 * latency_s;
      CHECK(timing.end_s == Approx(exact_s).epsilon(promised));
    }
  }
}

// Each node's NIC takes in N-1 copies of its own server's shard and one of every other server's, and gives out as many.
TEST_CASE("textbook parameter servers, one on each worker with equal shards", "[textbook]") {
  for (int nodes = 2; nodes <= 4096; nodes += nodes < 256 ? 1 : nodes / 3) {
    INFO(nodes << " nodes");
    Machine machine = ideal(nodes);
    machine.net_latency_s = 0;
    machine.intra_Bps = 1e15;
    const auto timing = executor_of(Engine::formula)
                            .server_exchange(machine, server_machine(nodes, false), on_each_server(nodes, {2e5, 2e5}));
    CHECK(timing.end_s == Approx(2 * (nodes - 1) * 4e5 / rate_Bps).epsilon(promised));
  }
}

} // namespace ddlsim
