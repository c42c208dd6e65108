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
  std::string folder;             ///< folder to run in
  std::vector<std::string> words; ///< command line `ddltrain measure ...`
  std::vector<std::string>
      environment; ///< environment at submission as NAME=VALUE; the script sets the part that a login shell may change
};

/// Returns the sbatch script, which runs in a login shell so that `module` works. Nodes are exclusive, with all their
/// memory. Slurm sends SIGUSR1 a minute before the time is up, so that the running part ends in order and the job can
/// be queued again. Of two jobs with this name one waits, so a second submission never measures beside the first.
std::string slurm_script(const LauncherChoice& choice, const SlurmJob& job);

/// Whether this process is in a batch job with our script, and not in an allocation that a person works in.
bool inside_slurm_job();

/// Returns the cores of a node of the allocation. SLURM_CPUS_ON_NODE counts either cores or hardware threads; `here`,
/// the node of this process, shows which. Outside an allocation, where the text is empty, nodes are assumed to be like
/// `here`.
NodeCores cores_in_slurm(const std::string& cpus_on_node, const NodeCores& here);

/// Puts this batch job back into the queue, at most `most` times. Returns a text for the job's log.
std::string requeue_slurm_job(std::int64_t most);

/// Submits the script. Returns the job's id. Throws RunError with Slurm's message.
std::string submit_to_slurm(const std::string& script_file);

} // namespace ddltrain
