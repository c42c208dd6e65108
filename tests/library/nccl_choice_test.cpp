#include "sim/library/nccl_choice.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr LibraryVersion nccl_2_3{CollectiveLibrary::nccl, 2, 3, 7};
constexpr LibraryVersion nccl_2_4{CollectiveLibrary::nccl, 2, 4, 8};
constexpr LibraryVersion nccl_2_5{CollectiveLibrary::nccl, 2, 5, 6};
constexpr LibraryVersion nccl_2_8{CollectiveLibrary::nccl, 2, 8, 4};
constexpr LibraryVersion nccl_2_18{CollectiveLibrary::nccl, 2, 18, 3};
constexpr LibraryVersion nccl_2_23{CollectiveLibrary::nccl, 2, 23, 4};

constexpr double mib = 1024.0 * 1024;
constexpr double bucket_bytes = 25 * mib;

/// Nodes of four V100 on NVLink with one port of 100 Gbit/s, which NCCL counts as 12 GB/s.
NcclJob four_v100_a_node(int nodes) {
  NcclJob job;
  job.ranks = 4 * nodes;
  job.nodes = nodes;
  job.intra = NcclHop::nvlink;
  job.channels = 2;
  job.ring_GBps = 12;
  job.tree_GBps = nodes == 2 ? 24 : 12;
  return job;
}

double estimate_us(const LibraryVersion& version, const NcclJob& job, Algorithm algorithm, Protocol protocol,
                   double size_bytes) {
  return 1e6 * nccl_estimate_s(version, job, {algorithm, protocol}, size_bytes).value();
}

} // namespace

TEST_CASE("a Simple ring of 2.8 on 24 nodes: the constants by hand", "[nccl]") {
  const auto job = four_v100_a_node(24);
  // 190 steps, 46 of them across nodes; the plateau's factor 1.9 is on the latency; 12 GB/s x 96/190 carry the bytes.
  const double latency_us = 8.4 + 144 * 3.4 + 46 * 9.6;
  const double bytes_us = bucket_bytes / (12e3 * 96 / 190);
  CHECK(estimate_us(nccl_2_8, job, Algorithm::ring, Protocol::simple, bucket_bytes) ==
        Approx(1.9 * latency_us + bytes_us));
  // Without the plateau this is the 5.26 ms of one bucket on 96 GPUs.
  CHECK(latency_us + bytes_us == Approx(5263).margin(1));
  // Below 4 KiB a rank there is no plateau.
  const double small_bytes = 96 * 4096.0 - 1;
  CHECK(estimate_us(nccl_2_8, job, Algorithm::ring, Protocol::simple, small_bytes) ==
        Approx(latency_us + small_bytes / (12e3 * 96 / 190)));
}

TEST_CASE("a tree of 2.8 on 24 nodes: the constants by hand", "[nccl]") {
  const auto job = four_v100_a_node(24);
  // log2(24) rounds down to 4; 25 MiB / 64 is between 2^18 and 2^19, where a Simple tree reaches 0.7 of its bus.
  const double simple_us = 2 * (3 * 28.0 + 4 * 28.0) + bucket_bytes / (0.5 * 0.7 * 0.92 * 12e3);
  CHECK(estimate_us(nccl_2_8, job, Algorithm::tree, Protocol::simple, bucket_bytes) == Approx(simple_us));
  const double ll_us = 4.4 + 2 * (3 * 1.8 * 0.52 + 4 * 5.0) + 4096 / (0.5 * 0.7 * 0.92 * 12e3 / 3.8);
  CHECK(estimate_us(nccl_2_8, job, Algorithm::tree, Protocol::ll, 4096) == Approx(ll_us));
}

TEST_CASE("the library's choice for a bucket of 25 MiB, by scale", "[nccl]") {
  // Forced rings grow with the ranks, trees with their logarithm.
  const auto choice = [](int gpus) {
    return nccl_choice(nccl_candidates(nccl_2_23, four_v100_a_node(gpus / 4)), bucket_bytes);
  };
  CHECK(choice(16).algorithm == Algorithm::ring);
  CHECK(choice(1024).algorithm == Algorithm::tree);
  CHECK(choice(16384).algorithm == Algorithm::tree);
  CHECK(choice(65536) == AlgorithmAndProtocol{Algorithm::tree, Protocol::simple});
  const auto job = four_v100_a_node(65536 / 4);
  CHECK(estimate_us(nccl_2_23, job, Algorithm::ring, Protocol::simple, bucket_bytes) >
        100 * estimate_us(nccl_2_23, job, Algorithm::tree, Protocol::simple, bucket_bytes));
}

TEST_CASE("a bucket of 25 MiB on iris, 96 to 65,536 GPUs: the estimates by hand, and the choice", "[nccl]") {
  struct Row {
    int gpus;
    double ring_ms; ///< rounded
    Algorithm taken;
  };
  // 2.8.4's constants. From 4 KiB a rank on the plateau makes a ring's latency 1.9 times as long; ring_ms is without
  // it.
  for (const auto& [gpus, ring_ms, taken] : {Row{96, 5.26, Algorithm::ring}, Row{1024, 14.5, Algorithm::tree},
                                             Row{16384, 167, Algorithm::tree}, Row{65536, 653, Algorithm::tree}}) {
    INFO(gpus << " GPUs");
    const auto job = four_v100_a_node(gpus / 4);
    const double crossings = 2.0 * (job.nodes - 1);
    const double latency_us = 8.4 + (2.0 * (gpus - 1) - crossings) * 3.4 + crossings * 9.6;
    const double bytes_us = bucket_bytes / (12e3 * gpus / (2.0 * (gpus - 1)));
    CHECK((latency_us + bytes_us) / 1000 == Approx(ring_ms).epsilon(0.01));
    CHECK(estimate_us(nccl_2_8, job, Algorithm::ring, Protocol::simple, bucket_bytes) ==
          Approx((bucket_bytes / gpus >= 4096 ? 1.9 : 1) * latency_us + bytes_us));
    const double tree_us =
        2 * (3 * 28 + std::floor(std::log2(job.nodes)) * 28) + bucket_bytes / (0.5 * 0.7 * 0.92 * 12e3);
    CHECK(estimate_us(nccl_2_8, job, Algorithm::tree, Protocol::simple, bucket_bytes) == Approx(tree_us));
    CHECK(nccl_choice(nccl_candidates({CollectiveLibrary::nccl, 2, 21, 5}, job), bucket_bytes).algorithm == taken);
  }
}

TEST_CASE("what is chosen is the least of all estimates, at every size and scale", "[nccl]") {
  for (const auto& version : {nccl_2_5, nccl_2_8, nccl_2_18, nccl_2_23}) {
    for (const int nodes : {1, 2, 3, 8, 24, 500}) {
      auto job = four_v100_a_node(nodes);
      job.may_ll128 = nodes < 8;
      for (double size_bytes = 4; size_bytes < 1e10; size_bytes *= 3) {
        const auto chosen = nccl_choice(nccl_candidates(version, job), size_bytes);
        const double chosen_s = nccl_estimate_s(version, job, chosen, size_bytes).value();
        for (const Algorithm algorithm : {Algorithm::ring, Algorithm::tree})
          for (const Protocol protocol : {Protocol::ll, Protocol::ll128, Protocol::simple})
            CHECK(chosen_s <= nccl_estimate_s(version, job, {algorithm, protocol}, size_bytes).value_or(INFINITY));
        const auto forced = nccl_choice(nccl_candidates(version, job, Algorithm::tree), size_bytes);
        CHECK(forced.algorithm == Algorithm::tree);
        CHECK(nccl_choice(nccl_candidates(version, job, Algorithm::ring), size_bytes).algorithm == Algorithm::ring);
      }
    }
  }
}

TEST_CASE("before 2.4 there are rings only, and LL up to a size", "[nccl]") {
  const auto job = four_v100_a_node(64);
  for (double size_bytes = 4; size_bytes < 1e10; size_bytes *= 2)
    CHECK(nccl_choice(nccl_candidates(nccl_2_3, job), size_bytes).algorithm == Algorithm::ring);
  CHECK(nccl_choice(nccl_candidates(nccl_2_3, job), 1024).protocol == Protocol::ll);
  CHECK(nccl_choice(nccl_candidates(nccl_2_3, job), bucket_bytes).protocol == Protocol::simple);
}

TEST_CASE("2.4 takes a tree up to the size at which its own constants have both alike", "[nccl]") {
  const auto job = four_v100_a_node(8);
  // ring: 6 x 31 us, 10 GB/s; tree: 15 x 3 + 4 x 3 us, 7.5 GB/s
  const double limit_bytes = 10000.0 * 7500 / 2500 * (186 - 57);
  CHECK(nccl_choice(nccl_candidates(nccl_2_4, job), limit_bytes).algorithm == Algorithm::tree);
  CHECK(nccl_choice(nccl_candidates(nccl_2_4, job), limit_bytes + 1).algorithm == Algorithm::ring);
  CHECK(nccl_choice(nccl_candidates(nccl_2_4, four_v100_a_node(1)), 64).algorithm == Algorithm::ring);
  CHECK(nccl_choice(nccl_candidates(nccl_2_4, four_v100_a_node(2)), 1e9).algorithm == Algorithm::tree);
}

namespace {

/// Nodes of eight H100 on NVSwitch, a NIC of 400 Gbit/s each.
NcclJob eight_h100_a_node(int nodes) {
  NcclJob job;
  job.ranks = 8 * nodes;
  job.nodes = nodes;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  job.channels = 16;
  job.port_GBps = 370.8;
  job.network_GBps = 384;
  job.ring_GBps = job.tree_GBps = 370.8;
  job.has_nvls = true;
  return job;
}

double nvls_us(const LibraryVersion& version, int nodes, double size_bytes) {
  return estimate_us(version, eight_h100_a_node(nodes), Algorithm::nvls, Protocol::simple, size_bytes);
}

constexpr LibraryVersion nccl_2_21{CollectiveLibrary::nccl, 2, 21, 5};
constexpr LibraryVersion nccl_2_29{CollectiveLibrary::nccl, 2, 29, 2};

} // namespace

TEST_CASE("NVLS by version: the constants by hand", "[nccl][nvls]") {
  constexpr double bytes = 1e9;
  const double port = 370.8e3 * 8 / 9; // bytes a microsecond: the vector and a head's eighth of it
  CHECK(nvls_us(nccl_2_18, 1, bytes) == Approx(23 + bytes / (5.0 / 6 * port)));
  CHECK(nvls_us(nccl_2_21, 1, bytes) == Approx(25 + bytes / (5.0 / 6 * port)));
  CHECK(nvls_us(nccl_2_29, 1, bytes) == Approx(25 + bytes / (0.85 * port)));
  // Between nodes: 2.18 counts nodes, later versions their logarithm; from three on every NIC passes the vector twice.
  CHECK(nvls_us(nccl_2_18, 4, bytes) == Approx(23 + 2 * 3 * 19 + bytes / (0.7 * 4 / 6 * 384e3)));
  CHECK(nvls_us(nccl_2_21, 2, bytes) == Approx(25 + 2 * 14 + bytes / (5.0 / 6 * port)));
  CHECK(nvls_us(nccl_2_21, 5, bytes) == Approx(25 + 2 * 2 * 14 + bytes / (5.0 / 6 * 192e3)));
  // 2.29: eight heads at their ceiling of 57.7 and 45.5 GB/s of bus.
  CHECK(nvls_us(nccl_2_29, 2, bytes) == Approx(25 + 2 * 20.9 + bytes / (8 * 57.7e3 * 16 / 30)));
  CHECK(nvls_us(nccl_2_29, 3, bytes) == Approx(25 + 2 * 20.9 + bytes / (8 * 45.5e3 * 24 / 46)));
}

TEST_CASE("NVLS is taken for large sums on Hopper, and where the switch cannot sum never", "[nccl][nvls]") {
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, eight_h100_a_node(1)), 1e9) ==
        AlgorithmAndProtocol{Algorithm::nvls, Protocol::simple});
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, eight_h100_a_node(1)), 1e4).algorithm != Algorithm::nvls);
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, eight_h100_a_node(64)), 1e9).algorithm == Algorithm::nvls);
  CHECK(nccl_choice(nccl_candidates(nccl_2_8, eight_h100_a_node(1)), 1e9).algorithm != Algorithm::nvls); // too old
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, eight_h100_a_node(1), Algorithm::nvls), 1e4) ==
        AlgorithmAndProtocol{Algorithm::nvls, Protocol::simple});
  auto without = eight_h100_a_node(1);
  without.has_nvls = false;
  for (double size_bytes = 4; size_bytes < 1e11; size_bytes *= 3)
    CHECK(nccl_choice(nccl_candidates(nccl_2_21, without), size_bytes).algorithm != Algorithm::nvls);
  CHECK_FALSE(nccl_estimate_s(nccl_2_21, eight_h100_a_node(1), {Algorithm::nvls, Protocol::ll}, 1e6));
}

TEST_CASE("which jobs have NVLS: an NVSwitch, compute capability 9.0, three GPUs and more", "[nccl][nvls]") {
  Cluster cluster;
  cluster.gpus_per_node = 8;
  cluster.intra = {IntraKind::nvswitch, 370.8e9, 0.6e-6};
  cluster.nics = {{"ndr", 50e9, 8}};
  const Transport transport{"nccl-ib", "ndr"};
  Gpu gpu;
  gpu.compute_capability = 90;
  const auto job = nccl_job(cluster, transport, gpu, 16, 8);
  CHECK(job.has_nvls);
  CHECK(job.port_GBps == Approx(370.8));
  CHECK(job.network_GBps == Approx(384));
  CHECK_FALSE(nccl_job(cluster, transport, gpu, 2, 8).has_nvls);
  CHECK(nccl_job(cluster, transport, gpu, 3, 8).has_nvls);
  gpu.compute_capability = 80;
  CHECK_FALSE(nccl_job(cluster, transport, gpu, 16, 8).has_nvls);
  gpu.compute_capability = 90;
  cluster.intra.kind = IntraKind::nvlink_mesh;
  CHECK_FALSE(nccl_job(cluster, transport, gpu, 16, 8).has_nvls);
  cluster.intra.kind = IntraKind::nvswitch;
  cluster.intra.domain_nodes = 4;
  CHECK(nccl_job(cluster, transport, gpu, 32, 8).nodes == 1);
  CHECK(nccl_job(cluster, transport, gpu, 32, 8).has_nvls);
}

namespace {

/// Nodes of eight GPUs on an NVSwitch with eight ports of 400 Gbit/s, whose switches sum.
NcclJob eight_gpus_under_sharp(int nodes, NcclGpu gpu) {
  NcclJob job;
  job.ranks = 8 * nodes;
  job.nodes = nodes;
  job.intra = NcclHop::nvlink;
  job.gpu = gpu;
  job.channels = 16;
  job.ring_GBps = job.tree_GBps = 370;
  job.network_GBps = 384;
  job.has_collnet = job.has_switch = true;
  job.nics = 8;
  job.collnet_GBps = 370;
  return job;
}

} // namespace

TEST_CASE("CollNet by version: the constants by hand", "[nccl][collnet]") {
  const auto us = [](int minor, const NcclJob& job) {
    return estimate_us({CollectiveLibrary::nccl, 2, minor, 0}, job, Algorithm::collnet, Protocol::simple, 1e8);
  };
  auto job = eight_gpus_under_sharp(64, NcclGpu::ampere);
  CHECK(us(6, job) == Approx(2 * 7 * 4.0 + 10.7 + 1e8 / (0.9 * 370e3 / 2)));
  CHECK(us(12, job) == Approx(2 * (8.0 + 7 * 0.5) + 10.7 + 1e8 / (370e3 / 2)));
  CHECK(us(18, job) == us(12, job)); // as many NICs as GPUs
  CHECK(us(21, job) == Approx(2 * (3.7 + 7 * 0.4) + 31 + 1e8 / (370e3 / 2)));
  job.nics = 4; // two GPUs to a NIC: 2/3 of the rate
  CHECK(us(21, job) == Approx(2 * (3.7 + 7 * 0.4) + 31 + 1e8 / (2.0 / 3 * 370e3 / 2)));
  job.nics = 8;
  job.has_switch = false; // a chain
  CHECK(us(14, job) == Approx(2 * 7 * 8.0 + 1e8 / (0.75 * 370e3 / 2)));
  CHECK(us(21, job) == Approx(2 * 7 * 2.8 + 30 + 1e8 / (370e3 / 2)));
  const auto hopper = eight_gpus_under_sharp(64, NcclGpu::hopper);
  CHECK(us(28, hopper) == Approx(2 * (3.7 + 7 * 0.4) + 31 + 1e8 / (0.85 * 370e3 / 2)));
  auto alone = eight_gpus_under_sharp(64, NcclGpu::ampere);
  alone.ranks = 64;
  alone.nics = 1;
  CHECK(us(21, alone) == Approx(31 + 1e8 / (370e3 / 2)));
  CHECK(us(23, alone) == Approx(14 + 1e8 / (370e3 / 2)));
}

TEST_CASE("CollNet is taken at scale where the switches sum, and elsewhere never", "[nccl][collnet]") {
  auto job = eight_gpus_under_sharp(512, NcclGpu::ampere);
  const auto choice = [&] { return nccl_choice(nccl_candidates(nccl_2_23, job), bucket_bytes); };
  CHECK(choice() == AlgorithmAndProtocol{Algorithm::collnet, Protocol::simple});
  CHECK(runs_collnet({CollectiveLibrary::nccl, 2, 6, 4}, job));
  CHECK_FALSE(runs_collnet(nccl_2_5, job));
  job.ranks = 16 * 512; // 16 GPUs a node
  CHECK_FALSE(runs_collnet(nccl_2_23, job));
  job = eight_gpus_under_sharp(1, NcclGpu::ampere);
  CHECK_FALSE(runs_collnet(nccl_2_23, job));
  job = eight_gpus_under_sharp(512, NcclGpu::ampere);
  job.has_collnet = false;
  CHECK(choice().algorithm != Algorithm::collnet);
}

TEST_CASE("NVLS with sums between nodes by version: the constants by hand", "[nccl][collnet][nvls]") {
  auto job = eight_gpus_under_sharp(64, NcclGpu::hopper);
  job.has_nvls = true;
  job.port_GBps = 450;
  job.network_GBps = 384;
  const auto us = [&](const LibraryVersion& version) {
    return estimate_us(version, job, Algorithm::nvls_sharp, Protocol::simple, 1e8);
  };
  const double five_sixths = 5.0 / 6;
  CHECK(us({CollectiveLibrary::nccl, 2, 18, 3}) == Approx(23 + 18 + 1e8 / (five_sixths * 384e3)));
  CHECK(us({CollectiveLibrary::nccl, 2, 19, 4}) == Approx(23 + 18 + 1e8 / (five_sixths * 384e3))); // 450 * 8/9 is more
  CHECK(us({CollectiveLibrary::nccl, 2, 21, 5}) == Approx(25 + 18 + 1e8 / (five_sixths * 384e3)));
  CHECK(us({CollectiveLibrary::nccl, 2, 28, 9}) == Approx(25 + 18 + 1e8 / (384e3 * 512 / (2 * 511))));
  job.network_GBps = 1000;
  CHECK(us({CollectiveLibrary::nccl, 2, 21, 5}) == Approx(25 + 18 + 1e8 / (five_sixths * 400e3)));
  job.nodes = 2;
  job.ranks = 16;
  CHECK(us({CollectiveLibrary::nccl, 2, 18, 3}) == Approx(23 + 18 + 1e8 / (five_sixths * 400e3)));
}

TEST_CASE("with NVSwitch and SHARP, NVLS with sums between nodes is NVLS's way across nodes", "[nccl][collnet][nvls]") {
  auto job = eight_gpus_under_sharp(64, NcclGpu::hopper);
  job.has_nvls = true;
  job.port_GBps = 450;
  job.network_GBps = 384;
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, job), 1e9) ==
        AlgorithmAndProtocol{Algorithm::nvls_sharp, Protocol::simple});
  CHECK_FALSE(runs_nvls_sharp({CollectiveLibrary::nccl, 2, 17, 1}, job));
  auto other = job;
  other.has_collnet = false;
  CHECK_FALSE(runs_nvls_sharp(nccl_2_21, other));
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, other), 1e9).algorithm == Algorithm::nvls); // its tree
  other = job;
  other.has_nvls = false;
  CHECK_FALSE(runs_nvls_sharp(nccl_2_21, other));
  CHECK(nccl_choice(nccl_candidates(nccl_2_21, other), 1e9).algorithm == Algorithm::collnet);
}

TEST_CASE("which jobs have CollNet: a cluster that states it, InfiniBand, two nodes", "[nccl][collnet]") {
  Cluster cluster;
  cluster.gpus_per_node = 8;
  cluster.intra = {IntraKind::nvswitch, 240e9, 1e-6, 1};
  cluster.nics = {{"ib", 25e9, 8}, {"eth", 1e9, 1}};
  cluster.fabric.sharp = true;
  Gpu gpu;
  gpu.compute_capability = 80;
  const auto job = [&](const char* transport, const char* nic, int ranks) {
    return nccl_job(cluster, {transport, nic}, gpu, ranks, 8);
  };
  CHECK(job("nccl-ib", "ib", 64).has_collnet);
  CHECK(job("nccl-ib", "ib", 64).has_switch);
  CHECK(job("nccl-ib", "ib", 64).nics == 8);
  CHECK(job("nccl-ib", "ib", 64).collnet_GBps == Approx(240)); // less than twice 0.96 of 200
  CHECK_FALSE(job("nccl-tcp", "eth", 64).has_collnet);
  CHECK_FALSE(job("nccl-ib", "ib", 8).has_collnet);
  cluster.fabric.sharp = false;
  CHECK_FALSE(job("nccl-ib", "ib", 64).has_collnet);
}

TEST_CASE("LL128 is run where stores arrive whole", "[nccl]") {
  auto job = four_v100_a_node(1);
  job.ring_GBps = job.tree_GBps = 120;
  job.channels = 12;
  const AlgorithmAndProtocol ll128{Algorithm::ring, Protocol::ll128};
  CHECK_FALSE(nccl_estimate_s(nccl_2_8, job, ll128, 1e6));
  job.may_ll128 = true;
  CHECK(nccl_estimate_s(nccl_2_8, job, ll128, 1e6));
  CHECK(nccl_choice(nccl_candidates(nccl_2_8, job), 1e6).protocol == Protocol::ll128);
  job.gpu = NcclGpu::ampere;
  CHECK(nccl_estimate_s(nccl_2_8, job, ll128, 1e6));
  CHECK_FALSE(nccl_estimate_s(nccl_2_5, job, ll128, 1e6)); // Volta alone had it
}

TEST_CASE("a version between two of the table has the constants of the older", "[nccl]") {
  const LibraryVersion between{CollectiveLibrary::nccl, 2, 12, 12};
  CHECK(nccl_tuning(between).from == nccl_tuning(nccl_2_8).from);
  CHECK(nccl_tuning({CollectiveLibrary::nccl, 2, 30, 0}).from == nccl_tuning(nccl_2_29).from);
  CHECK(nccl_tuning({CollectiveLibrary::nccl, 2, 26, 0}).from == nccl_tuning(nccl_2_23).from);
  CHECK(nccl_tuning(nccl_2_3).from == nccl_tuning(nccl_2_5).from);
}

TEST_CASE("a job as NCCL sees it: 12 GB/s of 100 Gbit/s, NVLink by its kind", "[nccl]") {
  Cluster cluster;
  cluster.gpus_per_node = 4;
  cluster.intra = {IntraKind::nvlink_mesh, 126e9, 0.47e-6};
  cluster.nics = {{"edr", 12.5e9, 1}};
  const Transport transport{"nccl-ib", "edr"};
  Gpu gpu;
  gpu.compute_capability = 70;
  const auto two_nodes = nccl_job(cluster, transport, gpu, 8, 4);
  CHECK(two_nodes.ring_GBps == Approx(12));
  CHECK(two_nodes.tree_GBps == Approx(24)); // both of two nodes' directions
  CHECK(two_nodes.intra == NcclHop::nvlink);
  CHECK_FALSE(two_nodes.may_ll128); // four GPUs to a NIC
  const auto one_node = nccl_job(cluster, transport, gpu, 4, 4);
  CHECK(one_node.ring_GBps == Approx(126));
  CHECK(one_node.may_ll128);
  CHECK(one_node.channels == 12);
  gpu.compute_capability = 61;
  CHECK_FALSE(nccl_job(cluster, transport, gpu, 4, 4).may_ll128);
}

} // namespace ddlsim
