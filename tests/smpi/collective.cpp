// A collective call of MPI, for smpirun, which is told by whose algorithm: collective NAME FLOATS. FLOATS of each rank
// for the whole vector, which the ranks divide. Every rank checks what it has in the end, and rank 0 prints the seconds
// from the first start to the last end.

#include "report.hpp"

#include <cstddef>
#include <cstdlib>
#include <string>
#include <vector>

namespace {

using Vector = std::vector<float>;

struct Job {
  int rank = 0;
  int ranks = 1;
  int floats = 1;

  int share() const { return floats / ranks; }
  std::size_t size() const { return static_cast<std::size_t>(floats); }
  float sum_of_ranks() const { return static_cast<float>(ranks * (ranks + 1) / 2); }
};

/// Element i of a rank.
float element(int rank, int i) {
  return static_cast<float>(rank + 1) * static_cast<float>(i % 7);
}

Vector elements(const Job& job) {
  Vector values;
  for (int i = 0; i < job.floats; ++i) values.push_back(element(job.rank, i));
  return values;
}

bool all_reduce(const Job& job) {
  const Vector mine = elements(job);
  Vector sums(job.size());
  MPI_Allreduce(mine.data(), sums.data(), job.floats, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < job.floats; ++i)
    if (sums[static_cast<std::size_t>(i)] != job.sum_of_ranks() * static_cast<float>(i % 7)) return false;
  return true;
}

bool reduce_scatter(const Job& job) {
  const Vector mine = elements(job);
  const std::vector<int> shares(static_cast<std::size_t>(job.ranks), job.share());
  Vector sums(static_cast<std::size_t>(job.share()));
  MPI_Reduce_scatter(mine.data(), sums.data(), shares.data(), MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
  for (int i = 0; i < job.share(); ++i)
    if (sums[static_cast<std::size_t>(i)] != job.sum_of_ranks() * static_cast<float>((job.rank * job.share() + i) % 7))
      return false;
  return true;
}

bool all_gather(const Job& job) {
  Vector mine;
  for (int i = 0; i < job.share(); ++i) mine.push_back(element(job.rank, i));
  Vector all(job.size());
  MPI_Allgather(mine.data(), job.share(), MPI_FLOAT, all.data(), job.share(), MPI_FLOAT, MPI_COMM_WORLD);
  for (int i = 0; i < job.floats; ++i)
    if (all[static_cast<std::size_t>(i)] != element(i / job.share(), i % job.share())) return false;
  return true;
}

bool all_to_all(const Job& job) {
  const Vector mine = elements(job);
  Vector all(job.size());
  MPI_Alltoall(mine.data(), job.share(), MPI_FLOAT, all.data(), job.share(), MPI_FLOAT, MPI_COMM_WORLD);
  for (int i = 0; i < job.floats; ++i)
    if (all[static_cast<std::size_t>(i)] != element(i / job.share(), job.rank * job.share() + i % job.share()))
      return false;
  return true;
}

bool run(const std::string& name, const Job& job) {
  if (name == "all-reduce") return all_reduce(job);
  if (name == "reduce-scatter") return reduce_scatter(job);
  if (name == "all-gather") return all_gather(job);
  if (name == "all-to-all") return all_to_all(job);
  std::abort();
}

} // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  MPI_Init(&argc, &argv);
  Job job;
  MPI_Comm_rank(MPI_COMM_WORLD, &job.rank);
  MPI_Comm_size(MPI_COMM_WORLD, &job.ranks);
  job.floats = std::atoi(argv[2]);
  const double start_s = MPI_Wtime();
  const bool right = run(argv[1], job);
  report(start_s, MPI_Wtime(), right);
  MPI_Finalize();
  return 0;
}
