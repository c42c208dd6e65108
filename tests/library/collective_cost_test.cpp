#include "sim/collective/all_to_all.hpp"
#include "sim/collective/collective.hpp"
#include "sim/library/collective_cost.hpp"
#include "sim/library/node_timing.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

/// 16 ranks on two nodes of 8 GPUs on an NVSwitch.
NcclJob two_nodes_of_hopper() {
  NcclJob job;
  job.ranks = 16;
  job.nodes = 2;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  job.has_collnet = job.has_switch = job.has_nvls = true;
  return job;
}

/// The same of V100, which have no timing of their own.
NcclJob two_nodes_of_volta() {
  auto job = two_nodes_of_hopper();
  job.gpu = NcclGpu::volta;
  job.has_nvls = false;
  return job;
}

const Machine nvlink_machine{16, 8, 370.8e9, 0.6e-6, 400e9, 5e-6};
const Machine one_node{8, 8, 370.8e9, 0.6e-6, 0, 0};

} // namespace

TEST_CASE("LL doubles the bytes, LL128 adds a fifteenth, and their hops are shorter than Simple's", "[nccl]") {
  CHECK(wire_bytes(Protocol::ll, 1000) == 2000);
  CHECK(wire_bytes(Protocol::ll128, 1500) == Approx(1600));
  CHECK(wire_bytes(Protocol::simple, 1000) == 1000);
  CHECK(wire_bytes(Protocol::none, 1000) == 1000);
  Machine machine{4, 2, 10e9, 1e-6, 1e9, 5e-6};
  NcclJob job;
  job.intra = NcclHop::nvlink;
  CHECK(links_of(machine, cost_of(machine, all_reduce_by(Algorithm::ring), Protocol::ll, job, 1000)) == machine);
  const auto simple = cost_of(machine, all_reduce_by(Algorithm::ring), Protocol::simple, job, 1000);
  CHECK(simple.wire_bytes == 1000);
  CHECK(simple.net_latency_s == Approx(5e-6 + 6.9e-6));    // 9.6 - 2.7
  CHECK(simple.intra_latency_s == Approx(1e-6 + 2.93e-6)); // 3.4 - 0.47
  job.intra = NcclHop::pci;
  CHECK(cost_of(machine, all_reduce_by(Algorithm::tree), Protocol::ll128, job, 1000).intra_latency_s ==
        Approx(1e-6 + 1.5e-6));
}

TEST_CASE("a double tree of NCCL reaches a share of its links, by NVIDIA's table", "[nccl]") {
  constexpr double mib = 1048576;
  const auto share = [](Algorithm algorithm, Protocol protocol, double size_bytes) {
    const auto cost = cost_of(nvlink_machine, all_reduce_by(algorithm), protocol, two_nodes_of_volta(), size_bytes);
    CHECK(cost.net_share == cost.intra_share);
    return cost.net_share;
  };
  CHECK(share(Algorithm::tree, Protocol::simple, 32 * mib) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::simple, 64 * mib) == Approx(0.92 * 0.8));
  CHECK(share(Algorithm::tree, Protocol::simple, std::sqrt(32.0 * 64) * mib) == Approx(0.92 * 0.75));
  CHECK(share(Algorithm::tree, Protocol::simple, 1024 * mib) == Approx(0.92)); // behind the table
  CHECK(share(Algorithm::tree, Protocol::simple, 8) == Approx(0.92 * 0.9));    // before it
  CHECK(share(Algorithm::tree, Protocol::ll, 32768) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::ll128, 4 * mib) == Approx(0.92 * 0.7));
  CHECK(share(Algorithm::tree, Protocol::none, mib) == 1); // of another library
  CHECK(share(Algorithm::ring, Protocol::simple, mib) == 1);
  double before_s = 0;
  for (double size_bytes = 64; size_bytes < 1024 * mib; size_bytes *= 1.1) { // a larger message is never faster
    const double busy_s = size_bytes / share(Algorithm::tree, Protocol::simple, size_bytes);
    CHECK(busy_s > before_s);
    before_s = busy_s;
  }
}

TEST_CASE("on one node the formula of a ring takes the time of its generation", "[nccl][nvlink]") {
  auto job = two_nodes_of_hopper();
  job.nodes = 1;
  job.ranks = 8;
  for (const double size_bytes : {1e3, 1e6, 1e9})
    for (const auto protocol : {Protocol::ll, Protocol::simple})
      for (const auto operation : {CollectiveOperation::all_reduce, CollectiveOperation::all_gather}) {
        const auto cost = cost_of(one_node, {operation, Algorithm::ring}, protocol, job, size_bytes);
        const auto time =
            ring_in_node(*node_timing(NcclGpu::hopper), operation, protocol, 8, size_bytes, one_node.intra_Bps);
        CHECK(formula_s(one_node, cost) == Approx(time.latency_s + time.bytes_s));
      }
}

TEST_CASE("on one node NVLS takes the time of its generation, and a tree that of a ring", "[nccl][nvlink]") {
  auto job = two_nodes_of_hopper();
  job.nodes = 1;
  job.ranks = 8;
  const auto& timing = *node_timing(NcclGpu::hopper);
  const auto nvls = cost_of(one_node, all_reduce_by(Algorithm::nvls), Protocol::simple, job, 1e8);
  const auto time = nvls_in_node(timing, 8, 1e8, one_node.intra_Bps);
  CHECK(formula_s(one_node, nvls) == Approx(time.latency_s + time.bytes_s));
  CHECK(cost_of(one_node, all_reduce_by(Algorithm::tree), Protocol::ll, job, 1e6) ==
        cost_of(one_node, all_reduce_by(Algorithm::ring), Protocol::ll, job, 1e6));
}

TEST_CASE("a cluster that states twice the latency of a hop has twice all latencies of NVLink", "[nccl][nvlink]") {
  auto job = two_nodes_of_hopper();
  job.nodes = 1;
  auto slow = one_node;
  slow.intra_latency_s *= 2;
  const auto cost = [&](const Machine& machine) {
    return cost_of(machine, all_reduce_by(Algorithm::ring), Protocol::ll, job, 1e6).intra_latency_s;
  };
  CHECK(cost(slow) == Approx(2 * cost(one_node)));
}

TEST_CASE("between nodes a short message takes the latency, and a long one 3.8 times that beside its bytes",
          "[nccl][nvlink]") {
  const auto job = two_nodes_of_hopper();
  const auto time_s = [&](double size_bytes) {
    return formula_s(nvlink_machine,
                     cost_of(nvlink_machine, all_reduce_by(Algorithm::tree), Protocol::simple, job, size_bytes));
  };
  const double latency_s = 5e-6 + 2 * 7 * 0.87e-6 + 2 * 5e-6; // base, hops inside, two crossings
  CHECK(time_s(1) == Approx(latency_s).epsilon(1e-3));
  auto bytes_alone = nvlink_machine;
  bytes_alone.intra_latency_s = bytes_alone.net_latency_s = 0;
  bytes_alone.intra_Bps *= node_timing(NcclGpu::hopper)->all_reduce_share;
  for (const double size_bytes : {1e6, 1e8, 1e10}) {
    const double bytes_s = all_reduce_s(bytes_alone, size_bytes, Algorithm::tree);
    CHECK(time_s(size_bytes) == Approx(latency_s * (1 + 2.8 * bytes_s / (bytes_s + 0.23 * latency_s)) + bytes_s));
  }
}

TEST_CASE("between nodes a long all-gather by a ring shows the latency of all its hops, too", "[nccl][nvlink]") {
  const auto job = two_nodes_of_hopper();
  const CollectiveKind gather{CollectiveOperation::all_gather, Algorithm::ring};
  const auto time_s = [&](double size_bytes) {
    return formula_s(nvlink_machine, cost_of(nvlink_machine, gather, Protocol::simple, job, size_bytes));
  };
  // 15 steps, of which 15 x 2 / 16 cross nodes; the formula rounds the crossings of the slowest chunk up
  const double latency_s = time_s(1);
  CHECK(latency_s == Approx(5e-6 + 13 * 0.87e-6 + 2 * 5e-6).epsilon(0.1));
  const auto& timing = *node_timing(NcclGpu::hopper);
  for (const double size_bytes : {1e8, 1e10}) {
    const double bytes_s = 15.0 / 16 * size_bytes / std::min(400e9, timing.gather_share * 370.8e9);
    const double expected_s = latency_s * (1 + 2.8 * bytes_s / (bytes_s + 0.23 * latency_s)) + bytes_s;
    CHECK(time_s(size_bytes) == Approx(expected_s).epsilon(0.03));
  }
}

TEST_CASE("switches between nodes count one crossing, whatever the number of nodes", "[nccl][nvlink]") {
  for (const int nodes : {2, 16}) {
    auto job = two_nodes_of_hopper();
    job.nodes = nodes;
    job.ranks = 8 * nodes;
    auto machine = nvlink_machine;
    machine.ranks = job.ranks;
    const auto cost = cost_of(machine, all_reduce_by(Algorithm::nvls_sharp), Protocol::simple, job, 1);
    CHECK(formula_s(machine, cost) == Approx(5e-6 + 2 * 7 * 0.87e-6 + 5e-6).epsilon(1e-3));
  }
}

TEST_CASE("channels limit what leaves an NVLink domain of several nodes", "[nccl][nvlink]") {
  auto job = two_nodes_of_hopper();
  job.gpu = NcclGpu::blackwell;
  job.ranks = 144;
  job.domain_nodes = 18;
  job.channels = 16;
  const Machine domains{144, 72, 721.8e9, 0.6e-6, 72 * 50e9, 5e-6};
  constexpr double size_bytes = 1e11;
  const auto time_s = [&](int of_nodes) {
    job.domain_nodes = of_nodes;
    return formula_s(domains, cost_of(domains, all_reduce_by(Algorithm::tree), Protocol::simple, job, size_bytes));
  };
  CHECK(size_bytes / time_s(18) == Approx(16 * 42.8e9 / 2).epsilon(0.02));
  CHECK(time_s(1) < 0.85 * time_s(18));
}

TEST_CASE("NCCL's start is the least time of an operation where GPUs have a timing, and else it is added", "[cost]") {
  LibraryRules rules;
  rules.library = {CollectiveLibrary::nccl, 2, 27, 3};
  rules.nccl = two_nodes_of_hopper();
  CHECK(started_s(rules, 30e-6, 10e-6) == 30e-6);
  CHECK(started_s(rules, 30e-6, 1e-3) == 1e-3);
  rules.nccl = two_nodes_of_volta();
  CHECK(started_s(rules, 30e-6, 10e-6) == Approx(40e-6));
  rules.nccl = two_nodes_of_hopper();
  rules.library = {CollectiveLibrary::open_mpi, 4, 1, 0};
  CHECK(started_s(rules, 30e-6, 10e-6) == Approx(40e-6));
}

TEST_CASE("an all-to-all on NVLink takes the timing of its generation, elsewhere the bytes alone", "[nccl][nvlink]") {
  LibraryRules rules;
  rules.library = {CollectiveLibrary::nccl, 2, 27, 3};
  rules.nccl = two_nodes_of_hopper();
  const auto time = exchange_in_node(node_timing(NcclGpu::hopper)->all_to_all, 8, 1e7, one_node.intra_Bps);
  CHECK(exchange_s(one_node, rules, 1e7) == Approx(time.latency_s + time.bytes_s));
  CHECK(exchange_s(nvlink_machine, rules, 1e7) == all_to_all_s(nvlink_machine, 1e7));
  rules.nccl = two_nodes_of_volta();
  CHECK(exchange_s(one_node, rules, 1e7) == all_to_all_s(one_node, 1e7));
}

TEST_CASE("CollNet has the delays of NCCL 2.23", "[nccl][collnet]") {
  auto job = two_nodes_of_volta();
  const auto direct = cost_of(nvlink_machine, all_reduce_by(Algorithm::collnet), Protocol::simple, job, 1e6);
  CHECK(direct.intra_latency_s == Approx(3.7e-6 + 7 * 0.4e-6)); // 0.6 is what LL's hop takes
  CHECK(direct.net_latency_s == Approx(5e-6 + 28.3e-6));        // 31 - 2.7
  job.has_switch = false;
  CHECK(cost_of(nvlink_machine, all_reduce_by(Algorithm::collnet), Protocol::simple, job, 1e6).intra_latency_s ==
        Approx(7 * 2.8e-6));
}

TEST_CASE("the formula starts from the cost, where a share of the rate is time, a latency is a hop's", "[cost]") {
  const Machine machine{16, 1, 10e9, 1e-6, 1e9, 10e-6};
  CollectiveCost cost{all_reduce_by(Algorithm::ring), Protocol::none, 16e6, 1e-6, 10e-6};
  const double steps = 30;
  CHECK(formula_s(machine, cost) == Approx(steps * (10e-6 + 1e-3)));
  cost.net_share = 0.5;
  cost.net_latency_s = 20e-6;
  CHECK(formula_s(machine, cost) == Approx(steps * (20e-6 + 2e-3)));
}

} // namespace ddlsim
