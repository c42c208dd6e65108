#pragma once
// The command lines with which mpirun of each MPI starts ranks. Jobs that a command starts on this machine and
// launchers of campaigns share them, because a measurement must not depend on who started it.

#include <cstdint>
#include <string>
#include <vector>

namespace ddltrain {

/// The MPI whose mpirun it is. MPICH and Intel MPI start ranks with Hydra.
enum class Mpirun { open_mpi_4, open_mpi_5, mpich, intel_mpi };

/// Reads what `mpirun --version` prints. Throws RunError with the first line when it is none of these.
Mpirun mpirun_named(const std::string& version_text);

/// Returns the mpirun in PATH, which is asked once. Throws RunError, with the name of the package, when there is none.
Mpirun installed_mpirun();

/// The cores of a node. A core with two hardware threads counts as one.
struct NodeCores {
  int cores = 1;
  int threads_per_core = 1;
};

/// Returns the cores of this machine by /sys/devices/system/cpu; hardware threads where that does not state cores.
NodeCores cores_of_this_node();

/// Returns the number of cores to which each rank of a node is bound: `wanted`, or if that is 0 an equal share of the
/// node. Returns 0 where there are more ranks than cores; ranks are then not bound. Throws UserError when the node has
/// fewer cores than the ranks want.
int cores_of_rank(int node_cores, std::int64_t ranks_per_node, int wanted);

/// Where ranks run: on this machine, on a list of hosts, or in an allocation of a batch system.
enum class RanksOn { this_machine, hosts, allocation };

struct RankLaunch {
  Mpirun mpirun = Mpirun::open_mpi_4;
  RanksOn where = RanksOn::this_machine;
  std::vector<std::string> hosts; ///< the hosts of RanksOn::hosts, in order
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  int cores_per_rank = 0; ///< number of cores of a rank; 0: ranks are not bound
  int threads_per_core = 1;
  std::vector<std::string> environment; ///< NAME=VALUE, set for every rank
  std::vector<std::string> forwarded;   ///< names of variables that are passed to ranks on other hosts
  std::vector<std::string> options;     ///< further options of mpirun
};

/// Returns mpirun and its options, up to the program. On this machine ranks talk through shared memory, mpirun itself
/// over loopback only, and there may be more ranks than cores.
std::vector<std::string> mpirun_words(const RankLaunch& launch);

/// Returns the variables that every rank gets: one thread for each library that would start as many as there are cores,
/// and the permission to run Open MPI as root for a process of root.
std::vector<std::string> rank_environment();

/// Returns the sorted names of the set variables that steer programs, MPI, NCCL and UCX (PATH, LD_LIBRARY_PATH, NCCL_*,
/// UCX_*, OMPI_MCA_*, ...), which ranks on other hosts need too. `environment` is NAME=VALUE.
std::vector<std::string> forwarded_names(const std::vector<std::string>& environment);

/// Returns the environment of this process as NAME=VALUE.
std::vector<std::string> own_environment();

} // namespace ddltrain
