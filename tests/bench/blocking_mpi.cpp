// What MPI takes when nothing but MPI is called: MPI_Send/MPI_Recv to and fro, and MPI_Allreduce, over sizes. Stands
// beside `ddltrain link` and `ddltrain collectives` in mpi_table.py.
//
// mpirun -np 2 blocking_mpi link|all_reduce FIRST_BYTES LAST_BYTES: lines of "BYTES MEDIAN LEAST" in seconds on
// standard output; sizes double; a message's time is half a round trip, an all-reduce's the longest of any rank.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <mpi.h>
#include <string>
#include <vector>

namespace {

constexpr int repetitions = 25;
constexpr double least_batch_s = 2e-3; ///< operations between two readings of the clock last about so long
constexpr int most_in_batch = 1000;

double largest(double value) {
  MPI_Allreduce(MPI_IN_PLACE, &value, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return value;
}

/// Seconds an operation takes in a batch of `count`, on the slowest rank.
double batch_s(const std::function<void()>& operation, int count) {
  MPI_Barrier(MPI_COMM_WORLD);
  const double start_s = MPI_Wtime();
  for (int i = 0; i < count; ++i) operation();
  return largest((MPI_Wtime() - start_s) / count);
}

/// Of all repetitions, sorted.
std::vector<double> times_of(const std::function<void()>& operation) {
  batch_s(operation, 3);
  const int count = std::clamp(static_cast<int>(least_batch_s / batch_s(operation, 3)), 1, most_in_batch);
  std::vector<double> times_s;
  for (int i = 0; i < repetitions; ++i) times_s.push_back(batch_s(operation, count));
  std::sort(times_s.begin(), times_s.end());
  return times_s;
}

} // namespace

int main(int argc, char** argv) {
  int threads = 0; // as ddltrain asks, for the overlap of training: it costs a message 0.16 us
  MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &threads);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  const bool is_link = argc == 4 && std::string(argv[1]) == "link";
  const long last = argc == 4 ? std::atol(argv[3]) : 0;
  std::vector<float> data(static_cast<std::size_t>(last) / sizeof(float));
  for (long bytes = argc == 4 ? std::atol(argv[2]) : 1; bytes <= last; bytes *= 2) {
    const int count = static_cast<int>(bytes / static_cast<long>(sizeof(float)));
    const auto send = [&](int to) { MPI_Send(data.data(), count, MPI_FLOAT, to, 0, MPI_COMM_WORLD); };
    const auto receive = [&](int from) {
      MPI_Recv(data.data(), count, MPI_FLOAT, from, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    };
    const auto round_trip = [&] {
      if (rank == 0) send(1);
      receive(rank == 0 ? 1 : 0);
      if (rank == 1) send(0);
    };
    const auto all_reduce = [&] {
      MPI_Allreduce(MPI_IN_PLACE, data.data(), count, MPI_FLOAT, MPI_SUM, MPI_COMM_WORLD);
    };
    const std::vector<double> times_s = is_link ? times_of(round_trip) : times_of(all_reduce);
    const double share = is_link ? 0.5 : 1;
    if (rank == 0) std::printf("%ld %.9f %.9f\n", bytes, share * times_s[repetitions / 2], share * times_s[0]);
  }
  MPI_Finalize();
  return last > 0 ? 0 : 2;
}
