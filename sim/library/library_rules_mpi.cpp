#include "sim/library/library_rules.hpp"

#include <array>
#include <limits>

namespace ddlsim {
namespace {

constexpr int any_ranks = std::numeric_limits<int>::max();
constexpr double any_size = std::numeric_limits<double>::infinity();

/// A row of a decision table. It holds for fewer ranks and bytes than these, and the first row that holds decides.
struct Decision {
  int ranks_below;
  double bytes_below;
  Algorithm algorithm;
};

constexpr auto doubling = Algorithm::recursive_doubling;
constexpr auto rabenseifner = Algorithm::halving_doubling;
constexpr auto ring = Algorithm::ring;
constexpr auto tree = Algorithm::tree;

constexpr std::array<Decision, 2> open_mpi_4_0{{
    {any_ranks, 10000, doubling},
    {any_ranks, any_size, ring},
}};

constexpr std::array<Decision, 2> mpich_3_3{{
    {any_ranks, 2049, doubling},
    {any_ranks, any_size, rabenseifner},
}};

constexpr std::array<Decision, 34> open_mpi_4_1{{
    {4, 8, ring},
    {4, 4096, doubling},
    {4, 8192, ring},
    {4, 16384, doubling},
    {4, 262144, ring},
    {4, any_size, rabenseifner},
    {8, 16, ring},
    {8, 8192, doubling},
    {8, any_size, rabenseifner},
    {16, 8192, doubling},
    {16, any_size, rabenseifner},
    {32, 64, ring},
    {32, 4096, doubling},
    {32, any_size, rabenseifner},
    {64, 128, ring},
    {64, any_size, rabenseifner},
    {128, 262144, doubling},
    {128, any_size, rabenseifner},
    {256, 131072, tree},
    {256, 262144, doubling},
    {256, any_size, rabenseifner},
    {512, 4096, tree},
    {512, any_size, rabenseifner},
    {2048, 2048, tree},
    {2048, 16384, doubling},
    {2048, any_size, rabenseifner},
    {4096, 2048, tree},
    {4096, 4096, ring},
    {4096, 16384, doubling},
    {4096, any_size, rabenseifner},
    {any_ranks, 2048, tree},
    {any_ranks, 16384, ring},
    {any_ranks, 32768, doubling},
    {any_ranks, any_size, rabenseifner},
}};

template <std::size_t rows>
Algorithm decide(const std::array<Decision, rows>& decisions, int ranks, double size_bytes) {
  for (const auto& decision : decisions)
    if (ranks < decision.ranks_below && size_bytes < decision.bytes_below) return decision.algorithm;
  return ring;
}

} // namespace

Algorithm mpi_choice(const LibraryVersion& version, int ranks, double size_bytes) {
  constexpr LibraryVersion first_with_tables{CollectiveLibrary::open_mpi, 4, 1, 0};
  if (version.library == CollectiveLibrary::mpich) return decide(mpich_3_3, ranks, size_bytes);
  if (version < first_with_tables) return decide(open_mpi_4_0, ranks, size_bytes);
  return decide(open_mpi_4_1, ranks, size_bytes);
}

} // namespace ddlsim
