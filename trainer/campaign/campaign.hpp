#pragma once
// A campaign: the runs that measure a cluster, and how they are started there, as platforms/NAME/campaign.json states
// them.

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

namespace ddltrain {

enum class LauncherKind { local, mpirun, slurm, testbed };
enum class GpuBinding { one_a_rank, none };

/// How ranks are started. Each kind of launcher reads the fields that are listed under its name here; other fields are
/// unknown keys.
struct LauncherChoice {
  LauncherKind kind = LauncherKind::local;
  int cores_per_rank = 0; ///< local, mpirun, slurm: cores to which each rank is bound; 0: an equal share of the node
  // Field of mpirun:
  std::vector<std::string> hosts;
  std::vector<std::string> options; ///< mpirun, testbed, slurm with mpirun: further options of mpirun
  // Fields of slurm:
  std::string partition;           ///< partition; "": the default one
  std::string start = "srun";      ///< command inside the allocation: "srun" or "mpirun"
  std::string mpi = "pmix";        ///< value of srun's --mpi
  double job_time_limit_s = 3600;  ///< time limit of the whole batch job
  std::vector<std::string> sbatch; ///< further options of sbatch
  std::vector<std::string> srun;   ///< further options of srun
  std::vector<std::string> before; ///< shell lines before the runs ("module load ...")
  GpuBinding gpu_binding = GpuBinding::one_a_rank;
  std::int64_t resubmissions = 10; ///< how often a job whose time is up goes back into the queue
  std::int64_t node_gpus = 0;      ///< number of GPUs to ask for on each node
  // Fields of testbed:
  /// rate of each host's link, one direction: the campaign's "rate", else that of the cluster's NIC
  double rate_Bps = 0;
  std::int64_t largest_packet_bytes = 0; ///< largest packet; 0: chosen by the rate
  std::int64_t burst_bytes = 0;          ///< burst; 0: the largest packet with the headers of its frames
  std::int64_t queue_bytes = 8 << 20;
  // Field of local and testbed, where ranks share this machine, so that its load decides whether a run counts:
  /// mean number of busy cores above which a run is suspect. local: cores that other processes use; 0 is the limit for
  /// records. testbed: cores that the ranks themselves use; 0 is 85 % of this machine's cores
  double busy_cores = 0;
};

/// An option, and the values that it takes in turn.
struct Variation {
  std::string option;
  std::vector<std::string> values;
};

struct CampaignRun {
  std::string name;
  std::string command;                ///< "train", "layers", "collectives", "link", "server" or "framework"
  std::vector<std::string> arguments; ///< arguments, as on the command line of `ddltrain COMMAND`
  std::vector<Variation> each;        ///< options whose values are combined in all ways
  std::vector<std::int64_t> nodes;
  std::int64_t ranks_per_node = 1;
  std::int64_t repeats = 1;
  double time_limit_s = 600; ///< time limit of one part
  double rate_Bps = 0;       ///< testbed: rate of the links in this run; 0: that of the launcher
};

struct Campaign {
  std::string cluster;
  std::string gpu; ///< GPU of the cluster's nodes; "": none
  LauncherChoice launcher;
  std::vector<CampaignRun> runs;
};

/// Returns DATA/platforms/CLUSTER. A path is relative to the working directory and leads to the folder of an own
/// cluster. Throws ddlsim::UserError for a path without a cluster.
std::filesystem::path cluster_folder(const std::string& data_folder, const std::string& cluster);

/// Reads campaign.json in the cluster's folder. From cluster.json beside it come the GPUs of a node (the ranks of a
/// node where the campaign states none), the bandwidth of the first NIC, and the largest number of nodes. Throws
/// ddlsim::UserError with every mistake of either file.
Campaign read_campaign(const std::string& data_folder, const std::string& cluster);

} // namespace ddltrain
