// A small MPI program in place of ddltrain: PAYLOAD COMMAND OPTIONS... --cluster NAME --output FILE writes records of
// its ring all-reduce.
//   --size BYTES     of the buffer
//   --wait SECONDS   before it ends
//   --unless FILE    does not wait when this file is there
//   --spin SECONDS   of processor time each rank uses up before it ends
//   --fail           ends with status 3, after the first record
//   --suspect        marks its record

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <fstream>
#include <map>
#include <mpi.h>
#include <string>
#include <thread>
#include <vector>

namespace {

int rank_of() {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

int size_of() {
  int size = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &size);
  return size;
}

/// Every rank sends 2 (n - 1) / n of the buffer to the next one, in 2 (n - 1) pieces.
double ring_s(std::size_t bytes) {
  const int n = size_of();
  std::vector<char> mine(bytes / static_cast<std::size_t>(n));
  std::vector<char> other(mine.size());
  MPI_Barrier(MPI_COMM_WORLD);
  const double begin = MPI_Wtime();
  for (int step = 0; step < 2 * (n - 1); ++step) {
    MPI_Sendrecv(mine.data(), static_cast<int>(mine.size()), MPI_CHAR, (rank_of() + 1) % n, 0, other.data(),
                 static_cast<int>(other.size()), MPI_CHAR, (rank_of() + n - 1) % n, 0, MPI_COMM_WORLD,
                 MPI_STATUS_IGNORE);
  }
  double mine_s = MPI_Wtime() - begin;
  double all_s = 0;
  MPI_Allreduce(&mine_s, &all_s, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
  return all_s;
}

/// What each rank may see of GPUs, "0101": the first of each rank.
std::string visible_gpus() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  const char mine = visible != nullptr ? visible[0] : '-';
  std::string all(static_cast<std::size_t>(size_of()), ' ');
  MPI_Allgather(&mine, 1, MPI_CHAR, all.data(), 1, MPI_CHAR, MPI_COMM_WORLD);
  return all;
}

/// Distinct hosts of the ranks.
int count_hosts() {
  constexpr int name_length = MPI_MAX_PROCESSOR_NAME;
  std::vector<char> name(name_length, '\0');
  int length = 0;
  MPI_Get_processor_name(name.data(), &length);
  if (const char* node = std::getenv("SLURMD_NODENAME"); node != nullptr) {
    std::strncpy(name.data(), node, name.size() - 1); // several nodes of a test's Slurm share one host
  }
  std::vector<char> names(name.size() * static_cast<std::size_t>(size_of()));
  MPI_Allgather(name.data(), name_length, MPI_CHAR, names.data(), name_length, MPI_CHAR, MPI_COMM_WORLD);
  std::map<std::string, int> hosts;
  for (int rank = 0; rank < size_of(); ++rank) {
    ++hosts[names.data() + static_cast<std::size_t>(rank) * name.size()];
  }
  return static_cast<int>(hosts.size());
}

} // namespace

int main(int argc, char** argv) {
  std::map<std::string, std::string> options;
  for (int i = 2; i < argc; ++i) {
    options[argv[i]] = i + 1 < argc ? argv[i + 1] : "";
  }
  MPI_Init(&argc, &argv);
  const std::size_t bytes = options.count("--size") != 0 ? std::stoul(options["--size"]) : 4096;
  double best_s = ring_s(bytes);
  for (int i = 0; i < 4; ++i) {
    const double time_s = ring_s(bytes);
    best_s = time_s < best_s ? time_s : best_s;
  }
  const int hosts = count_hosts();
  const std::string gpus = visible_gpus();
  if (rank_of() == 0) {
    std::FILE* file = std::fopen(options["--output"].c_str(), "w");
    std::fprintf(
        file,
        "{\"record\":\"context\",\"version\":1,\"cluster\":\"%s\",\"gpu\":\"\",\"machine\":\"m\",\"software\":\"s\","
        "\"date\":\"2026-01-01\",\"who\":\"w\",\"source\":{\"title\":\"t\"},\"emulated\":false}\n",
        options["--cluster"].c_str());
    std::fprintf(
        file,
        "{\"record\":\"collective\",\"series\":\"ring\",\"origin\":\"run\",\"transport\":\"mpi-tcp\","
        "\"library\":\"open-mpi\",\"statistic\":\"best_of\",%s\"operation\":\"all_reduce\",\"algorithm\":\"ring\","
        "\"ranks\":%d,\"nodes\":%d,\"size_bytes\":%zu,\"value\":%.9g,\"unit\":\"s\",\"note\":\"%s\"}\n",
        options.count("--suspect") != 0 ? "\"suspect\":true," : "", size_of(), hosts, bytes, best_s, gpus.c_str());
    std::fclose(file);
  }
  const bool is_there = options.count("--unless") != 0 && std::ifstream(options["--unless"]).good();
  if (options.count("--wait") != 0 && !is_there) {
    std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(options["--wait"])));
  }
  if (options.count("--spin") != 0) {
    const double ticks = std::stod(options["--spin"]) * CLOCKS_PER_SEC;
    for (const std::clock_t begin = std::clock(); static_cast<double>(std::clock() - begin) < ticks;) {
    }
  }
  if (options.count("--fail") != 0) {
    MPI_Abort(MPI_COMM_WORLD, 3);
  }
  MPI_Finalize();
  return 0;
}
