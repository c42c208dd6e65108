#pragma once
#include "trainer/campaign/campaign.hpp"
#include "trainer/campaign/launch_words.hpp"

#include <string>
#include <vector>

namespace ddltrain {

/// What a batch job runs: this program again, inside the allocation, for the parts of one node count.
struct SlurmJob {
  std::string name;
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::string log;
  std::string folder;             ///< to run in
  std::vector<std::string> words; ///< `ddltrain measure ...`
  std::vector<std::string>
      environment; ///< NAME=VALUE at submission; of it the script sets what a login shell may change
};

/// The sbatch script, for a login shell: `module` works. Nodes are exclusive, with all their memory; Slurm sends
/// SIGUSR1 a minute before the time is up, so that the part under way ends in order and the job can be queued again; of
/// two jobs with this name one waits, so a second submission never measures beside the first.
std::string slurm_script(const LauncherChoice& choice, const SlurmJob& job);

/// Are we in a batch job whose script is ours? Not in an allocation that a person made and works in.
bool inside_slurm_job();

/// Cores of a node of the allocation: SLURM_CPUS_ON_NODE counts either cores or hardware threads, which `here`, the
/// node we are on, tells apart. Outside, where the text is empty, nodes are taken for `here`.
NodeCores cores_in_slurm(const std::string& cpus_on_node, const NodeCores& here);

/// Puts this batch job back into the queue, at most `most` times. Returns what was done, for the job's log.
std::string requeue_slurm_job(std::int64_t most);

/// Submits the script. Returns the job's id. Throws RunError with Slurm's words.
std::string submit_to_slurm(const std::string& script_file);

} // namespace ddltrain
