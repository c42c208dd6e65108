#pragma once
// A campaign: the runs that measure a cluster, and how they are started there. platforms/NAME/campaign.json.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

enum class LauncherKind { local, mpirun, slurm, testbed };
enum class GpuBinding { one_a_rank, none };

/// How ranks are started. Each kind reads the fields that are under its name here; others are unknown keys.
struct LauncherChoice {
  LauncherKind kind = LauncherKind::local;
  int cores_per_rank = 0; ///< local, mpirun, slurm: that each rank is bound to; 0: an equal share of the node
  // mpirun
  std::vector<std::string> hosts;
  std::vector<std::string> options; ///< mpirun, testbed, slurm with mpirun: further options of mpirun
  // slurm
  std::string partition;           ///< "": the default one
  std::string start = "srun";      ///< "srun" or "mpirun", inside the allocation
  std::string mpi = "pmix";        ///< srun --mpi=
  double job_time_limit_s = 3600;  ///< of the whole batch job
  std::vector<std::string> sbatch; ///< further options of sbatch
  std::vector<std::string> srun;   ///< further options of srun
  std::vector<std::string> before; ///< shell lines before the runs ("module load ...")
  GpuBinding gpu_binding = GpuBinding::one_a_rank;
  std::int64_t resubmissions = 10; ///< how often a job whose time is up goes back into the queue
  std::int64_t node_gpus = 0;      ///< GPUs to ask for on each node
  // testbed
  double rate_Bps = 0; ///< of each host's link, one direction; the campaign's "rate", else the cluster's NIC
  std::int64_t largest_packet_bytes = 0; ///< 0: chosen by the rate
  std::int64_t burst_bytes = 0;          ///< 0: the largest packet with its frames' headers
  std::int64_t queue_bytes = 8 << 20;
  // local, testbed: ranks share this machine, so its load decides whether a run counts
  double busy_cores = 0; ///< mean above which a run is suspect. local: others', 0 is as for records; testbed: of
                         ///< the ranks themselves, 0 is 85 % of this machine's cores
};

/// One option and the values it takes in turn.
struct Variation {
  std::string option;
  std::vector<std::string> values;
};

struct CampaignRun {
  std::string name;
  std::string command;                ///< train, layers, collectives, link, server or framework
  std::vector<std::string> arguments; ///< as on the command line of `ddltrain COMMAND`
  std::vector<Variation> each;        ///< every combination is run
  std::vector<std::int64_t> nodes;
  std::int64_t ranks_per_node = 1;
  std::int64_t repeats = 1;
  double time_limit_s = 600; ///< of one part
  double rate_Bps = 0;       ///< testbed: of the links in this run; 0: the launcher's
};

struct Campaign {
  std::string cluster;
  std::string gpu; ///< of the cluster's nodes; "": none
  LauncherChoice launcher;
  std::vector<CampaignRun> runs;
};

/// DATA/platforms/CLUSTER; for a path, which is from the working directory, the own cluster's folder that it leads to.
/// Throws ddlsim::UserError for a path without a cluster.
std::filesystem::path cluster_folder(const std::string& data_folder, const std::string& cluster);

/// Reads campaign.json in the cluster's folder, and from cluster.json beside it the GPUs of a node (ranks a node where
/// the campaign names none), the first NIC's bandwidth and the largest node count. Throws ddlsim::UserError with every
/// mistake of either file.
Campaign read_campaign(const std::string& data_folder, const std::string& cluster);

} // namespace ddltrain
