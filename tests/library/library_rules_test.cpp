#include "sim/collective/collective.hpp"
#include "sim/library/library_rules.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

constexpr LibraryVersion open_mpi_4_0{CollectiveLibrary::open_mpi, 4, 0, 3};
constexpr LibraryVersion open_mpi_4_1{CollectiveLibrary::open_mpi, 4, 1, 4};
constexpr LibraryVersion mpich{CollectiveLibrary::mpich, 3, 3, 0};

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

TEST_CASE("a forced algorithm that the library cannot run is refused with its reason", "[nccl][nvls][collnet]") {
  NcclJob job;
  job.ranks = 16;
  job.nodes = 2;
  job.intra = NcclHop::nvlink;
  job.gpu = NcclGpu::hopper;
  const LibraryVersion nccl{CollectiveLibrary::nccl, 2, 21, 5};
  const auto refused = [&](Algorithm algorithm, int ranks = 16) {
    return forced_complaint({nccl, algorithm, job}, ranks).find("nccl 2.21.5 cannot all-reduce over 16 GPUs") == 0;
  };
  for (const auto algorithm : {Algorithm::nvls, Algorithm::collnet, Algorithm::nvls_sharp}) {
    CHECK(refused(algorithm));
    CHECK(forced_complaint({{CollectiveLibrary::mpich}, algorithm}, 16).find("mpich cannot") == 0);
    CHECK(forced_complaint({nccl, algorithm, job}, 1).empty());
  }
  CHECK(forced_complaint({{CollectiveLibrary::mpich}, Algorithm::ring}, 16).empty());
  job.has_collnet = job.has_switch = job.has_nvls = true;
  CHECK(forced_complaint({nccl, Algorithm::collnet, job}, 16).empty());
  CHECK(forced_complaint({nccl, Algorithm::nvls_sharp, job}, 16).empty());
  job.has_collnet = false;
  CHECK(refused(Algorithm::nvls_sharp));
  const LibraryVersion before_nvls{CollectiveLibrary::nccl, 2, 14, 3};
  CHECK(forced_complaint({nccl, Algorithm::nvls, job}, 16).empty());
  CHECK(forced_complaint({before_nvls, Algorithm::nvls, job}, 16).find("nccl 2.14.3 cannot all-reduce") == 0);
}

TEST_CASE("each library's algorithm by the size", "[nccl][mpi]") {
  const LibraryRules rules{open_mpi_4_0};
  CHECK(choose_algorithm(rules, 16, 1000).algorithm == Algorithm::recursive_doubling);
  CHECK(choose_algorithm(rules, 16, 1e6).algorithm == Algorithm::ring);
  const LibraryRules forced{open_mpi_4_0, Algorithm::tree};
  CHECK(choose_algorithm(forced, 16, 100).algorithm == Algorithm::tree);
  for (double size_bytes = 1; size_bytes < 1e10; size_bytes *= 10) // Gloo knows no threshold
    CHECK(choose_algorithm({{CollectiveLibrary::gloo}}, 16, size_bytes) ==
          AlgorithmAndProtocol{Algorithm::segmented_ring, Protocol::none});
  CHECK(choose_algorithm({{CollectiveLibrary::gloo}, Algorithm::ring}, 16, 1e6).algorithm ==
        Algorithm::segmented_ring); // it has no other
  for (const auto operation : {CollectiveOperation::reduce_scatter, CollectiveOperation::all_gather})
    CHECK(choose_algorithm({{CollectiveLibrary::gloo}, Algorithm::tree, {}, operation}, 16, 1e6).algorithm ==
          Algorithm::ring);
  CHECK(forced_complaint({{CollectiveLibrary::gloo}, Algorithm::segmented_ring}, 16).empty());
  CHECK(forced_complaint({open_mpi_4_0, Algorithm::segmented_ring}, 16) ==
        "open-mpi 4.0.3 has no ring in segments; segmented-ring takes Gloo");
}

} // namespace ddlsim
