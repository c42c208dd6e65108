#include "sim/collective/all_reduce.hpp"
#include "sim/library/sum_rules.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr LibraryVersion open_mpi_4_0{SumLibrary::open_mpi, 4, 0, 3};
constexpr LibraryVersion open_mpi_4_1{SumLibrary::open_mpi, 4, 1, 4};
constexpr LibraryVersion mpich{SumLibrary::mpich, 3, 3, 0};

} // namespace

TEST_CASE("Open MPI up to 4.0: doubling below 10,000 bytes, else a ring", "[mpi]") {
  CHECK(mpi_choice(open_mpi_4_0, 64, 9999) == Algorithm::recursive_doubling);
  CHECK(mpi_choice(open_mpi_4_0, 64, 10000) == Algorithm::ring);
}

TEST_CASE("Open MPI from 4.1 on: rows of its table", "[mpi]") {
  CHECK(mpi_choice(open_mpi_4_1, 2, 5000) == Algorithm::ring);
  CHECK(mpi_choice(open_mpi_4_1, 3, 262144) == Algorithm::halving_doubling);
  CHECK(mpi_choice(open_mpi_4_1, 4, 8191) == Algorithm::recursive_doubling);
  CHECK(mpi_choice(open_mpi_4_1, 100, 262143) == Algorithm::recursive_doubling);
  CHECK(mpi_choice(open_mpi_4_1, 128, 1000) == Algorithm::tree);
  CHECK(mpi_choice(open_mpi_4_1, 3000, 3000) == Algorithm::ring);
  CHECK(mpi_choice(open_mpi_4_1, 100000, 1e9) == Algorithm::halving_doubling);
}

TEST_CASE("MPICH: doubling up to 2,048 bytes, else halving-doubling", "[mpi]") {
  CHECK(mpi_choice(mpich, 16, 2048) == Algorithm::recursive_doubling);
  CHECK(mpi_choice(mpich, 16, 2049) == Algorithm::halving_doubling);
}

TEST_CASE("LL doubles the bytes, LL128 adds a fifteenth, and their hops are shorter than Simple's", "[nccl]") {
  CHECK(wire_bytes(Protocol::ll, 1000) == 2000);
  CHECK(wire_bytes(Protocol::ll128, 1500) == Approx(1600));
  CHECK(wire_bytes(Protocol::simple, 1000) == 1000);
  CHECK(wire_bytes(Protocol::none, 1000) == 1000);
  Machine machine;
  machine.net_latency_s = 5e-6;
  machine.intra_latency_s = 1e-6;
  NcclJob job;
  job.intra = NcclHop::nvlink;
  CHECK(machine_under(machine, {Algorithm::ring, Protocol::ll}, job) == machine);
  const auto simple = machine_under(machine, {Algorithm::ring, Protocol::simple}, job);
  CHECK(simple.net_latency_s == Approx(5e-6 + 6.9e-6));    // 9.6 - 2.7
  CHECK(simple.intra_latency_s == Approx(1e-6 + 2.93e-6)); // 3.4 - 0.47
  job.intra = NcclHop::pci;
  CHECK(machine_under(machine, {Algorithm::tree, Protocol::ll128}, job).intra_latency_s == Approx(1e-6 + 1.5e-6));
}

TEST_CASE("a double tree of NCCL leaves links idle, by NVIDIA's table", "[nccl]") {
  const Way tree{Algorithm::tree, Protocol::simple};
  constexpr double mib = 1048576;
  CHECK(timed_bytes(tree, 32 * mib) == Approx(32 * mib / (0.92 * 0.7)));
  CHECK(timed_bytes(tree, 64 * mib) == Approx(64 * mib / (0.92 * 0.8)));
  CHECK(timed_bytes(tree, std::sqrt(32.0 * 64) * mib) == Approx(std::sqrt(32.0 * 64) * mib / (0.92 * 0.75)));
  CHECK(timed_bytes(tree, 1024 * mib) == Approx(1024 * mib / 0.92)); // behind the table
  CHECK(timed_bytes(tree, 8) == Approx(8 / (0.92 * 0.9)));           // before it
  CHECK(timed_bytes({Algorithm::tree, Protocol::ll}, 32768) == Approx(2 * 32768 / (0.92 * 0.7)));
  CHECK(timed_bytes({Algorithm::tree, Protocol::ll128}, 4 * mib) == Approx(128.0 / 120 * 4 * mib / (0.92 * 0.7)));
  CHECK(timed_bytes({Algorithm::tree, Protocol::none}, mib) == mib); // of another library
  CHECK(timed_bytes({Algorithm::ring, Protocol::simple}, mib) == mib);
  double before_bytes = 0;
  for (double size_bytes = 64; size_bytes < 1024 * mib; size_bytes *= 1.1) { // a larger message is never faster
    CHECK(timed_bytes(tree, size_bytes) > before_bytes);
    before_bytes = timed_bytes(tree, size_bytes);
  }
}

TEST_CASE("NVLS reaches its efficiency of a port, and has the delays of NCCL 2.28", "[nccl][nvls]") {
  Machine machine{16, 8, 370.8e9, 0.6e-6, 400e9, 5e-6};
  NcclJob job;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  const auto hopper = machine_under(machine, {Algorithm::nvls, Protocol::simple}, job);
  CHECK(hopper.intra_Bps == Approx(0.85 * 370.8e9));
  CHECK(2 * hopper.intra_latency_s == Approx(25e-6));
  CHECK(hopper.net_latency_s == Approx(5e-6 + 11.3e-6)); // 14 - 2.7
  job.gpu = NcclGpu::blackwell;
  CHECK(machine_under(machine, {Algorithm::nvls, Protocol::simple}, job).intra_Bps == Approx(0.74 * 370.8e9));
  const SumRules rules{{SumLibrary::nccl, 2, 21, 5}, Algorithm::nvls, job};
  CHECK(forced_complaint(rules, 16).find("nccl 2.21.5 cannot sum 16 GPUs") == 0);
  CHECK(forced_complaint({{SumLibrary::mpich}, Algorithm::nvls}, 16).find("mpich cannot") == 0);
  CHECK(forced_complaint({{SumLibrary::mpich}, Algorithm::ring}, 16).empty());
  CHECK(forced_complaint(rules, 1).empty());
}

TEST_CASE("CollNet has the delays of NCCL 2.23, and is refused with its reason", "[nccl][collnet]") {
  const Machine machine{16, 8, 200e9, 0.6e-6, 200e9, 5e-6};
  NcclJob job;
  job.ranks = 16;
  job.nodes = 2;
  job.intra = NcclHop::nvlink;
  job.has_collnet = job.has_switch = true;
  const Way way{Algorithm::collnet, Protocol::simple};
  const auto direct = machine_under(machine, way, job);
  CHECK(direct.intra_latency_s == Approx(3.7e-6 + 7 * 0.4e-6)); // 0.6 is what LL's hop takes
  CHECK(direct.net_latency_s == Approx(5e-6 + 28.3e-6));        // 31 - 2.7
  job.has_switch = false;
  CHECK(machine_under(machine, way, job).intra_latency_s == Approx(7 * 2.8e-6));
  SumRules rules{{SumLibrary::nccl, 2, 21, 5}, Algorithm::collnet, job};
  CHECK(forced_complaint(rules, 16).empty());
  rules.nccl.has_collnet = false;
  CHECK(forced_complaint(rules, 16).find("nccl 2.21.5 cannot sum 16 GPUs") == 0);
  CHECK(forced_complaint({{SumLibrary::mpich}, Algorithm::collnet}, 16).find("mpich cannot") == 0);
}

TEST_CASE("NVLS with sums between nodes: NVLS's port, 18 us to the switches, and its reason", "[nccl][collnet][nvls]") {
  const Machine machine{16, 8, 370.8e9, 0.6e-6, 400e9, 5e-6};
  NcclJob job;
  job.ranks = 16;
  job.nodes = 2;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  job.has_collnet = job.has_switch = job.has_nvls = true;
  const auto under = machine_under(machine, {Algorithm::nvls_sharp, Protocol::simple}, job);
  CHECK(under.intra_Bps == Approx(0.85 * 370.8e9));
  CHECK(under.net_latency_s == Approx(5e-6 + 15.3e-6)); // 18 - 2.7
  SumRules rules{{SumLibrary::nccl, 2, 21, 5}, Algorithm::nvls_sharp, job};
  CHECK(forced_complaint(rules, 16).empty());
  rules.nccl.has_collnet = false;
  CHECK(forced_complaint(rules, 16).find("nccl 2.21.5 cannot sum 16 GPUs") == 0);
}

TEST_CASE("one all-reduce by its way, and a list of sizes by theirs", "[nccl]") {
  Machine machine{16, 1, 10e9, 1e-6, 1e9, 10e-6};
  const SumRules rules{open_mpi_4_0};
  CHECK(sum_s(machine, rules, 1000) == Approx(all_reduce_s(machine, 1000, Algorithm::recursive_doubling)));
  CHECK(sum_s(machine, rules, 1e6) == Approx(all_reduce_s(machine, 1e6, Algorithm::ring)));
  const auto ways = by_way(sum_ways(rules, 16), {1e6, 100, 2e6, 200});
  REQUIRE(ways.size() == 2);
  CHECK(ways[0].way.algorithm == Algorithm::ring);
  CHECK(ways[0].numbers == std::vector<std::size_t>{0, 2});
  CHECK(ways[1].numbers == std::vector<std::size_t>{1, 3});
  const SumRules forced{open_mpi_4_0, Algorithm::tree};
  CHECK(way_of(forced, 16, 100).algorithm == Algorithm::tree);
  for (double size_bytes = 1; size_bytes < 1e10; size_bytes *= 10) // Gloo knows no threshold
    CHECK(way_of({{SumLibrary::gloo}}, 16, size_bytes) == Way{Algorithm::segmented_ring, Protocol::none});
  CHECK(way_of({{SumLibrary::gloo}, Algorithm::ring}, 16, 1e6).algorithm ==
        Algorithm::segmented_ring); // it has no other
  CHECK(forced_complaint({{SumLibrary::gloo}, Algorithm::segmented_ring}, 16).empty());
  CHECK(forced_complaint({open_mpi_4_0, Algorithm::segmented_ring}, 16) ==
        "open-mpi 4.0.3 has no ring in segments; segmented-ring takes Gloo");
}

} // namespace ddlsim
