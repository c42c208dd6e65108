#include "trainer/campaign/launch_words.hpp"

#include "sim/base/error.hpp"
#include "trainer/campaign/child.hpp"
#include "trainer/run_error.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <set>
#include <string_view>
#include <thread>
#include <unistd.h>

namespace ddltrain {

Mpirun mpirun_named(const std::string& version_text) {
  constexpr std::string_view open_mpi = "(Open MPI) "; // text before the version, such as "4.1.4"
  if (const std::size_t at = version_text.find(open_mpi); at != std::string::npos) {
    int major = 0;
    const char* const end = version_text.data() + version_text.size();
    const auto read = std::from_chars(version_text.data() + at + open_mpi.size(), end, major);
    if (read.ec == std::errc() && read.ptr != end && *read.ptr == '.')
      return major < 5 ? Mpirun::open_mpi_4 : Mpirun::open_mpi_5;
  }
  const auto has = [&](const char* words) { return version_text.find(words) != std::string::npos; };
  if (has("Intel(R) MPI")) return Mpirun::intel_mpi;
  if (has("HYDRA")) return Mpirun::mpich; // MVAPICH prints this too, because it has the same starter
  throw RunError(fmt::format("the mpirun in PATH says of itself \"{}\"; Open MPI, MPICH or Intel MPI expected",
                             version_text.substr(0, version_text.find('\n'))));
}

Mpirun installed_mpirun() {
  static const Mpirun found = [] {
    if (!program_exists("mpirun")) {
      throw RunError("the program mpirun is missing (Debian: openmpi-bin), or start the ranks with a launcher of "
                     "your own");
    }
    return mpirun_named(run_and_read({"mpirun", "--version"}));
  }();
  return found;
}

NodeCores cores_of_this_node() {
  const int threads = std::max(1, static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN)));
  std::set<std::string> cores; // each core is identified by the list of its threads
  for (int i = 0; i < threads; ++i) {
    std::ifstream file(fmt::format("/sys/devices/system/cpu/cpu{}/topology/thread_siblings_list", i));
    std::string siblings;
    if (std::getline(file, siblings)) cores.insert(siblings);
  }
  const int count = cores.empty() ? threads : static_cast<int>(cores.size());
  return {count, std::max(1, threads / count)};
}

int cores_of_rank(int node_cores, std::int64_t ranks_per_node, int wanted) {
  if (wanted > 0 && wanted * ranks_per_node > node_cores) {
    throw ddlsim::UserError("cores_per_rank", "",
                            fmt::format("{} cores for each of {} ranks found, a node has {}; give at most {}, or leave "
                                        "it out",
                                        wanted, ranks_per_node, node_cores, node_cores / ranks_per_node));
  }
  return wanted > 0 ? wanted : static_cast<int>(node_cores / std::max<std::int64_t>(ranks_per_node, 1));
}

std::vector<std::string> rank_environment() {
  std::vector<std::string> variables = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"};
  if (geteuid() == 0) {
    variables.insert(variables.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  return variables;
}

std::vector<std::string> forwarded_names(const std::vector<std::string>& environment) {
  constexpr std::array<std::string_view, 2> names = {"PATH", "LD_LIBRARY_PATH"};
  constexpr std::array<std::string_view, 6> beginnings = {"NCCL_", "UCX_", "OMPI_MCA_", "PRTE_MCA_", "I_MPI_", "FI_"};
  std::vector<std::string> found;
  for (const std::string& variable : environment) {
    const std::string name = variable.substr(0, variable.find('='));
    const bool wanted =
        std::find(names.begin(), names.end(), name) != names.end() ||
        std::any_of(beginnings.begin(), beginnings.end(), [&](auto text) { return name.rfind(text, 0) == 0; });
    if (wanted) found.push_back(name);
  }
  std::sort(found.begin(), found.end());
  return found;
}

std::vector<std::string> own_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable) variables.emplace_back(*variable);
  return variables;
}

namespace {

using Words = std::vector<std::string>;

void add(Words& words, const Words& more) {
  words.insert(words.end(), more.begin(), more.end());
}

/// Returns hosts with their slots: "a:4,b:4".
std::string slots_of_hosts(const RankLaunch& launch) {
  std::string text;
  for (std::int64_t i = 0; i < launch.nodes; ++i) {
    text +=
        fmt::format("{}{}:{}", i == 0 ? "" : ",", launch.hosts.at(static_cast<std::size_t>(i)), launch.ranks_per_node);
  }
  return text;
}

/// Returns whether ranks give up their core between polls. They need not where each rank has a core.
std::string yields(const RankLaunch& launch) {
  return launch.cores_per_rank > 0 ? "0" : "1";
}

/// Returns options for shared memory only, without the kernel's copy from process to process, which containers forbid.
Words open_mpi_on_one_machine(const RankLaunch& launch) {
  const Words common = {"--mca", "pml", "ob1", "--mca", "mpi_yield_when_idle", yields(launch)};
  Words words =
      launch.mpirun == Mpirun::open_mpi_4
          ? Words{"--oversubscribe",
                  "--mca",
                  "plm",
                  "isolated",
                  "--mca",
                  "oob_tcp_if_include",
                  "lo",
                  "--mca",
                  "btl",
                  "self,vader",
                  "--mca",
                  "btl_vader_single_copy_mechanism",
                  "none"}
          : Words{"--prtemca", "prte_if_include", "lo", "--mca", "btl", "self,sm", "--mca", "smsc", "^cma,knem,xpmem"};
  add(words, common);
  return words;
}

/// Returns options by which ranks fill nodes. Several ranks on a core are allowed on this machine only, where tests
/// imitate clusters.
Words open_mpi_places(const RankLaunch& launch) {
  std::string map = fmt::format("ppr:{}:node", launch.ranks_per_node);
  if (launch.cores_per_rank > 0)
    return {"--map-by", fmt::format("{}:PE={}", map, launch.cores_per_rank), "--bind-to", "core"};
  if (launch.mpirun == Mpirun::open_mpi_5 && launch.where == RanksOn::this_machine) map += ":OVERSUBSCRIBE";
  return {"--map-by", map, "--bind-to", "none"};
}

Words open_mpi(const RankLaunch& launch) {
  Words words = {"mpirun", "-np", std::to_string(launch.nodes * launch.ranks_per_node)};
  if (geteuid() == 0) words.emplace_back("--allow-run-as-root");
  if (launch.where == RanksOn::hosts) add(words, {"--host", slots_of_hosts(launch)});
  add(words, open_mpi_places(launch));
  if (launch.where == RanksOn::this_machine) add(words, open_mpi_on_one_machine(launch));
  for (const std::string& variable : launch.environment) add(words, {"-x", variable});
  if (launch.where != RanksOn::this_machine) { // child processes have them already
    for (const std::string& name : launch.forwarded) {
      // mpirun forwards its own variables itself.
      const bool own = name.rfind("OMPI_MCA_", 0) == 0 || name.rfind("PRTE_MCA_", 0) == 0;
      if (!own) add(words, {"-x", name});
    }
  }
  add(words, launch.options);
  return words;
}

/// Returns the binding of ranks to cores. I_MPI_PIN_DOMAIN counts hardware threads.
Words hydra_binding(const RankLaunch& launch) {
  const int cores = launch.cores_per_rank;
  if (launch.mpirun == Mpirun::intel_mpi) {
    if (cores == 0) return {"-genv", "I_MPI_PIN", "0"};
    return {"-genv", "I_MPI_PIN",        "1",
            "-genv", "I_MPI_PIN_DOMAIN", fmt::format("{}:compact", cores * launch.threads_per_core)};
  }
  if (cores == 0) return {"-bind-to", "none"};
  return {"-bind-to", fmt::format("core:{}", cores)};
}

Words hydra(const RankLaunch& launch) {
  Words words = {"mpirun"};
  if (launch.where == RanksOn::this_machine) add(words, {"-launcher", "fork", "-hosts", "localhost"});
  if (launch.where == RanksOn::hosts) {
    const auto end = launch.hosts.begin() + launch.nodes;
    add(words, {"-hosts", fmt::format("{}", fmt::join(launch.hosts.begin(), end, ","))});
  }
  add(words, {"-ppn", std::to_string(launch.ranks_per_node)});
  add(words, {"-np", std::to_string(launch.nodes * launch.ranks_per_node)});
  add(words, hydra_binding(launch));
  words.emplace_back("-genvall"); // this forwards all variables
  for (const std::string& variable : launch.environment) {
    const std::size_t equals = variable.find('=');
    add(words, {"-genv", variable.substr(0, equals), variable.substr(equals + 1)});
  }
  add(words, launch.options);
  return words;
}

} // namespace

std::vector<std::string> mpirun_words(const RankLaunch& launch) {
  switch (launch.mpirun) {
  case Mpirun::open_mpi_4:
  case Mpirun::open_mpi_5:
    return open_mpi(launch);
  case Mpirun::mpich:
  case Mpirun::intel_mpi:
    break;
  }
  return hydra(launch);
}

} // namespace ddltrain
