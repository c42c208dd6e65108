#include "sim/collective/all_reduce.hpp"
#include "sim/library/mpi_choice.hpp"
#include "sim/library/sum_rules.hpp"

#include <catch2/catch.hpp>

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

TEST_CASE("LL doubles the bytes, LL128 adds a fifteenth; their hops are shorter than Simple's", "[nccl]") {
  CHECK(wire_bytes(Protocol::ll, 1000) == 2000);
  CHECK(wire_bytes(Protocol::ll128, 1500) == Approx(1600));
  CHECK(wire_bytes(Protocol::simple, 1000) == 1000);
  CHECK(wire_bytes(Protocol::none, 1000) == 1000);
  Machine machine;
  machine.net_latency_s = 5e-6;
  machine.intra_latency_s = 1e-6;
  CHECK(machine_under(machine, Protocol::ll, NcclHop::nvlink) == machine);
  const auto simple = machine_under(machine, Protocol::simple, NcclHop::nvlink);
  CHECK(simple.net_latency_s == Approx(5e-6 + 6.9e-6));    // 9.6 - 2.7
  CHECK(simple.intra_latency_s == Approx(1e-6 + 2.93e-6)); // 3.4 - 0.47
  CHECK(machine_under(machine, Protocol::ll128, NcclHop::pci).intra_latency_s == Approx(1e-6 + 1.5e-6));
}

TEST_CASE("one all-reduce by its way, and a list of sizes by theirs", "[nccl]") {
  Machine machine{16, 1, 10e9, 1e-6, 1e9, 10e-6};
  const SumRules rules{open_mpi_4_0};
  CHECK(sum_s(machine, rules, 1000) == Approx(all_reduce_s(machine, 1000, Algorithm::recursive_doubling)));
  CHECK(sum_s(machine, rules, 1e6) == Approx(all_reduce_s(machine, 1e6, Algorithm::ring)));
  const auto ways = by_way(rules, 16, {1e6, 100, 2e6, 200});
  REQUIRE(ways.size() == 2);
  CHECK(ways[0].way.algorithm == Algorithm::ring);
  CHECK(ways[0].numbers == std::vector<std::size_t>{0, 2});
  CHECK(ways[1].numbers == std::vector<std::size_t>{1, 3});
  const SumRules forced{open_mpi_4_0, Algorithm::tree};
  CHECK(way_of(forced, 16, 100).algorithm == Algorithm::tree);
  CHECK(way_of({{SumLibrary::gloo}}, 16, 100) == Way{Algorithm::ring, Protocol::none});
}

} // namespace ddlsim
