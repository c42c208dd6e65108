#pragma once
// The words with which each MPI's mpirun starts ranks. One list for the job that a command starts on this machine and
// for the launchers of campaigns: what is measured must not depend on who started it.

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {

/// Whose mpirun it is. MPICH and Intel MPI start ranks with Hydra.
enum class Mpirun { open_mpi_4, open_mpi_5, mpich, intel_mpi };

/// Reads what `mpirun --version` prints. Throws RunError with its first line when it is none of these.
Mpirun mpirun_named(const std::string& version_text);

/// The mpirun in PATH, asked once. Throws RunError when there is none, naming the package.
Mpirun installed_mpirun();

/// Cores of a node. A core with two hardware threads is one.
struct NodeCores {
  int cores = 1;
  int threads_per_core = 1;
};

/// Of this machine, as /sys/devices/system/cpu tells; hardware threads where it does not.
NodeCores cores_of_this_node();

/// Cores that each rank of a node is bound to: `wanted`, or without it (0) an equal share of the node. 0 where ranks
/// exceed cores: they are not bound, and the kernel shares the cores out. Throws UserError when the node has fewer
/// cores than the ranks want.
int cores_of_rank(int node_cores, std::int64_t ranks_per_node, int wanted);

/// Where ranks run.
enum class RanksOn { this_machine, hosts, allocation };

struct RankLaunch {
  Mpirun mpirun = Mpirun::open_mpi_4;
  RanksOn where = RanksOn::this_machine;
  std::vector<std::string> hosts; ///< of RanksOn::hosts, in order
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  int cores_per_rank = 0; ///< 0: not bound
  int threads_per_core = 1;
  std::vector<std::string> environment; ///< NAME=VALUE, which every rank gets
  std::vector<std::string> forwarded;   ///< names of variables that ranks on other hosts get from here
  std::vector<std::string> options;     ///< more of mpirun's own
};

/// mpirun and its options, up to the program.
/// On this machine: ranks talk through shared memory, mpirun over loopback only; more ranks than cores are allowed.
std::vector<std::string> mpirun_words(const RankLaunch& launch);

/// What every rank gets: one thread for each library that would start as many as there are cores, and Open MPI's leave
/// to run as root where we are root.
std::vector<std::string> rank_environment();

/// Names of the variables that steer programs, MPI, NCCL and UCX (PATH, LD_LIBRARY_PATH, NCCL_*, UCX_*, OMPI_MCA_*,
/// ...) and are set here, sorted: what ranks on other hosts need too. `environment`: NAME=VALUE.
std::vector<std::string> forwarded_names(const std::vector<std::string>& environment);

/// NAME=VALUE of this process.
std::vector<std::string> own_environment();

} // namespace ddltrain
