// Ring all-reduce in plain MPI, for smpirun: ring FLOATS_PER_CHUNK. Every rank reduces a vector of ranks x chunk
// floats, checks the sums, and rank 0 prints the seconds from the first start to the last end.

#include "report.hpp"

#include <cstddef>
#include <cstdlib>
#include <vector>

namespace {

struct Ring {
  int rank = 0;
  int ranks = 1;
  int chunk = 0; ///< floats
  std::vector<float> values;

  float* chunk_at(int index) { return values.data() + static_cast<std::ptrdiff_t>((index + ranks) % ranks) * chunk; }
};

/// Gives a chunk to the right and takes one from the left, both at once.
void exchange(const Ring& ring, const float* give, float* take) {
  MPI_Request requests[2];
  MPI_Irecv(take, ring.chunk, MPI_FLOAT, (ring.rank + ring.ranks - 1) % ring.ranks, 0, MPI_COMM_WORLD, &requests[0]);
  MPI_Isend(give, ring.chunk, MPI_FLOAT, (ring.rank + 1) % ring.ranks, 0, MPI_COMM_WORLD, &requests[1]);
  MPI_Waitall(2, requests, MPI_STATUSES_IGNORE);
}

void reduce_scatter(Ring& ring) {
  std::vector<float> taken(static_cast<std::size_t>(ring.chunk));
  for (int step = 0; step < ring.ranks - 1; ++step) {
    exchange(ring, ring.chunk_at(ring.rank - step), taken.data());
    float* sum = ring.chunk_at(ring.rank - step - 1);
    for (std::size_t i = 0; i < taken.size(); ++i) sum[i] += taken[i];
  }
}

void all_gather(Ring& ring) {
  for (int step = 0; step < ring.ranks - 1; ++step)
    exchange(ring, ring.chunk_at(ring.rank + 1 - step), ring.chunk_at(ring.rank - step));
}

bool is_sum(const Ring& ring) {
  const auto all_ranks = static_cast<float>(ring.ranks * (ring.ranks + 1) / 2);
  for (std::size_t i = 0; i < ring.values.size(); ++i)
    if (ring.values[i] != all_ranks * static_cast<float>(i % 7)) return false;
  return true;
}

} // namespace

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  Ring ring;
  MPI_Comm_rank(MPI_COMM_WORLD, &ring.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &ring.ranks);
  ring.chunk = argc > 1 ? std::atoi(argv[1]) : 1;
  for (int i = 0; i < ring.ranks * ring.chunk; ++i)
    ring.values.push_back(static_cast<float>(ring.rank + 1) * static_cast<float>(i % 7));
  const double start_s = MPI_Wtime();
  reduce_scatter(ring);
  all_gather(ring);
  report(start_s, MPI_Wtime(), is_sum(ring));
  MPI_Finalize();
  return 0;
}
