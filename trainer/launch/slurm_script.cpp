#include "trainer/launch/slurm_script.hpp"

#include "trainer/launch/child.hpp"
#include "trainer/launch/shell_words.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstdlib>

namespace ddltrain {
namespace {

constexpr int kWarning_s = 60; ///< before the time limit

std::string hours(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

} // namespace

std::string slurm_script(const LauncherChoice& choice, const SlurmJob& job) {
  std::string text = "#!/bin/bash\n";
  const auto option = [&text](const std::string& line) { text += "#SBATCH " + line + "\n"; };
  option("--job-name=" + job.name);
  option("--dependency=singleton");
  option("--nodes=" + std::to_string(job.nodes));
  option("--ntasks-per-node=" + std::to_string(job.ranks_per_node));
  option("--exclusive");
  if (choice.node_gpus > 0) {
    option("--gpus-per-node=" + std::to_string(choice.node_gpus));
  }
  option("--time=" + hours(choice.job_time_limit_s));
  option(fmt::format("--signal=B:TERM@{}", kWarning_s));
  option("--requeue"); // after a node failed; finished parts are not run again
  option("--open-mode=append");
  option("--output=" + job.log);
  if (!choice.partition.empty()) {
    option("--partition=" + choice.partition);
  }
  for (const std::string& line : choice.sbatch) {
    option(line);
  }
  text += "set -e\ncd " + shell_word(job.folder) + "\n";
  for (const std::string& line : choice.before) {
    text += line + "\n";
  }
  return text + "exec " + shell_line(job.words) + "\n";
}

bool inside_slurm_job() {
  return std::getenv("SLURM_JOB_ID") != nullptr;
}

std::string submit_to_slurm(const std::string& script_file) {
  std::string id = run_and_read({"sbatch", "--parsable", script_file});
  return id.substr(0, id.find_first_of(";\n"));
}

} // namespace ddltrain
