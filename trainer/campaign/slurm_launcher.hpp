#pragma once
#include "trainer/campaign/campaign.hpp"

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
};

/// The sbatch script. Nodes are exclusive; Slurm sends SIGTERM a minute before the time is up, so that the part under
/// way ends in order; of two jobs with this name one waits, so a second submission never measures beside the first.
std::string slurm_script(const LauncherChoice& choice, const SlurmJob& job);

/// Are we inside an allocation?
bool inside_slurm_job();

/// Submits the script. Returns the job's id. Throws RunError with Slurm's words.
std::string submit_to_slurm(const std::string& script_file);

} // namespace ddltrain
