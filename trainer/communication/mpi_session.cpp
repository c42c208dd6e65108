#include "trainer/communication/mpi_session.hpp"

#include "sim/base/error.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <mpi.h>
#include <thread>

namespace ddltrain {

void check_mpi(int status, const std::string& call) {
  if (status == MPI_SUCCESS) return;
  std::array<char, MPI_MAX_ERROR_STRING> words{};
  int length = 0;
  MPI_Error_string(status, words.data(), &length);
  throw RunError(call + " failed: " + std::string(words.data(), static_cast<std::size_t>(length)));
}

namespace {

int number_in_environment(const char* name) {
  const char* text = std::getenv(name);
  return text == nullptr ? 0 : std::atoi(text);
}

/// Returns the number of this process among those that mpirun started.
int rank_by_mpirun() {
  return number_in_environment(std::getenv("OMPI_COMM_WORLD_RANK") != nullptr ? "OMPI_COMM_WORLD_RANK" : "PMI_RANK");
}

/// Lets the first rank of mpirun report for all. The others leave it the time, because an mpirun may end a job with its
/// first rank that fails.
void leave_the_message_to_the_first() {
  if (rank_by_mpirun() == 0) return;
  std::this_thread::sleep_for(std::chrono::seconds(2));
  std::_Exit(1);
}

} // namespace

int ranks_that_mpirun_started() {
  return std::max(number_in_environment("OMPI_COMM_WORLD_SIZE"), number_in_environment("PMI_SIZE"));
}

std::string text_of_foreign_mpirun(int started, int found, const std::string& library) {
  if (started <= 1 || found > 1) return "";
  return fmt::format("mpirun started {} ranks, but {}, with which this ddltrain was built, finds only one: it is the "
                     "mpirun of another MPI. Put its own first in PATH",
                     started, library);
}

MpiSession::MpiSession() {
  int provided = MPI_THREAD_SINGLE;
  check_mpi(MPI_Init_thread(nullptr, nullptr, MPI_THREAD_MULTIPLE, &provided), "MPI_Init_thread");
  if (provided < MPI_THREAD_MULTIPLE) {
    MPI_Finalize();
    throw RunError("this MPI does not let several threads communicate (MPI_THREAD_MULTIPLE), which overlapping "
                   "communication with compute and servers beside workers need");
  }
  int found = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &found);
  const std::string foreign = text_of_foreign_mpirun(ranks_that_mpirun_started(), found, library());
  if (foreign.empty()) return;
  MPI_Finalize();
  leave_the_message_to_the_first();
  throw RunError(foreign);
}

MpiSession::~MpiSession() {
  MPI_Finalize();
}

int MpiSession::rank() const {
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  return rank;
}

std::string MpiSession::host() const {
  std::array<char, MPI_MAX_PROCESSOR_NAME> name{};
  int length = 0;
  check_mpi(MPI_Get_processor_name(name.data(), &length), "MPI_Get_processor_name");
  return {name.data(), static_cast<std::size_t>(length)};
}

std::string MpiSession::library() const {
  std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> text{};
  int length = 0;
  check_mpi(MPI_Get_library_version(text.data(), &length), "MPI_Get_library_version");
  const std::string all(text.data(), static_cast<std::size_t>(length));
  std::string name = all.substr(0, all.find_first_of(",\n")); // the rest names packages and identifiers
  if (const auto at = name.find(" v"); at != std::string::npos) name.erase(at + 1, 1); // for "Open MPI v4.1.4"
  std::replace(name.begin(), name.end(), '\t', ' ');                                   // for "MPICH Version: 4.0.2"
  return name;
}

void MpiSession::abort_job(int status) const {
  int processes = 1;
  MPI_Comm_size(MPI_COMM_WORLD, &processes);
  if (processes > 1) MPI_Abort(MPI_COMM_WORLD, status); // a single process has no other to end and nothing to report
  std::_Exit(status);                                   // not reached if MPI_Abort does what it should
}

bool started_by_launcher() {
  const bool pmix = std::getenv("PMIX_RANK") != nullptr || std::getenv("PMI_RANK") != nullptr;
  if (pmix || std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr) return true;
  if (number_in_environment("SLURM_STEP_NUM_TASKS") > 1) {
    throw ddlsim::UserError("", "", "srun started several processes that cannot find each other: use srun --mpi=pmix");
  }
  return false;
}

NodeMap map_nodes(const std::vector<std::string>& hosts) {
  NodeMap nodes;
  nodes.host_of_rank = hosts;
  std::map<std::string, int> number;
  std::vector<int> ranks_on;
  for (const std::string& host : hosts) {
    const auto [entry, is_new] = number.try_emplace(host, nodes.nodes);
    if (is_new) {
      ++nodes.nodes;
      ranks_on.push_back(0);
    }
    nodes.node_of_rank.push_back(entry->second);
    const int ranks = ++ranks_on[static_cast<std::size_t>(entry->second)];
    nodes.most_ranks_per_node = std::max(nodes.most_ranks_per_node, ranks);
  }
  return nodes;
}

int place_on_node(const NodeMap& nodes, int rank) {
  const auto own = nodes.node_of_rank.begin() + rank;
  return static_cast<int>(std::count(nodes.node_of_rank.begin(), own, *own));
}

namespace {

/// How long the first rank waits less than the second, and the second less than the third. mpirun takes a tenth of a
/// second or so to end the others.
constexpr double lead_s = 0.5;
constexpr double longest_s = 3; ///< much less than the time that a user waits for

} // namespace

void end_job(const MpiSession& mpi, int rank, const std::exception_ptr& failure) {
  std::this_thread::sleep_for(std::chrono::duration<double>(std::min(longest_s, lead_s * rank)));
  int status = 1;
  try {
    std::rethrow_exception(failure);
  } catch (const ddlsim::UserError& error) {
    status = 2;
    fmt::print(stderr, "ddltrain: {}\n", error.what());
  } catch (const std::exception& error) {
    fmt::print(stderr, "ddltrain: {}\n", failure_text(error));
  }
  std::fflush(stdout);
  std::fflush(stderr);
  mpi.abort_job(status);
}

void run_as_rank(const std::function<void(const MpiSession& mpi)>& body) {
  const MpiSession mpi;
  try {
    body(mpi);
  } catch (...) {
    end_job(mpi, mpi.rank(), std::current_exception());
  }
}

} // namespace ddltrain
