#include "trainer/campaign/slurm_launcher.hpp"

#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launcher.hpp"

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

// Ranks in a Slurm allocation that we are already in.

namespace {

class SlurmLauncher final : public Launcher {
public:
  explicit SlurmLauncher(const LauncherChoice& choice) : choice_(choice) {}

  std::vector<std::string> words(const LaunchJob& job) const override {
    std::vector<std::string> words = choice_.start == "srun" ? srun(job) : mpirun(job);
    words.insert(words.end(), job.words.begin(), job.words.end());
    return words;
  }

  std::vector<std::string> environment() const override { return rank_environment(); }

private:
  std::vector<std::string> srun(const LaunchJob& job) const {
    std::vector<std::string> words = {"srun", "--mpi=" + choice_.mpi, "--nodes=" + std::to_string(job.nodes),
                                      "--ntasks-per-node=" + std::to_string(job.ranks_per_node),
                                      "--kill-on-bad-exit=1"};
    if (choice_.node_gpus > 0) {
      // The i-th rank of a node gets GPU i, and sees no other.
      std::string gpus;
      for (std::int64_t i = 0; i < job.ranks_per_node; ++i) {
        gpus.append(i == 0 ? "" : ",").append(std::to_string(i % choice_.node_gpus));
      }
      words.push_back("--gpus-per-node=" + std::to_string(choice_.node_gpus));
      words.push_back("--gpu-bind=map_gpu:" + gpus);
    }
    return words;
  }

  std::vector<std::string> mpirun(const LaunchJob& job) const {
    std::vector<std::string> words = {"mpirun", "-np", std::to_string(job.nodes * job.ranks_per_node), "--map-by",
                                      "ppr:" + std::to_string(job.ranks_per_node) + ":node"};
    for (const std::string& variable : rank_environment()) {
      words.insert(words.end(), {"-x", variable});
    }
    return words;
  }

  LauncherChoice choice_;
};

} // namespace

std::unique_ptr<Launcher> slurm_launcher(const LauncherChoice& choice) {
  return std::make_unique<SlurmLauncher>(choice);
}

} // namespace ddltrain
