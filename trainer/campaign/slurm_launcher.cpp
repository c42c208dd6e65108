#include "trainer/campaign/slurm_launcher.hpp"

#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launcher.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace ddltrain {
namespace {

constexpr int warning_s = 60; ///< seconds before the time limit at which Slurm warns the job

/// The variable that our scripts set to the job's id.
constexpr const char* own_job = "DDLTRAIN_SLURM_JOB";

std::string hours(double seconds) {
  const auto whole = static_cast<std::int64_t>(std::ceil(seconds));
  return fmt::format("{:02}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
}

/// Returns a file's name for sbatch: quoted, and with % doubled, because a single % begins a pattern.
std::string sbatch_file(const std::string& name) {
  std::string text = "\"";
  for (const char c : name) {
    if (c == '"' || c == '\\') text += '\\';
    text += c == '%' ? std::string("%%") : std::string(1, c);
  }
  return text + '"';
}

std::string variable_or(const char* name, const std::string& fallback) {
  const char* const text = std::getenv(name);
  return text == nullptr ? fallback : text;
}

std::vector<std::string> sbatch_options(const LauncherChoice& choice, const SlurmJob& job) {
  std::vector<std::string> options = {"--job-name=" + job.name,
                                      "--dependency=singleton",
                                      "--nodes=" + std::to_string(job.nodes),
                                      "--ntasks-per-node=" + std::to_string(job.ranks_per_node),
                                      "--exclusive",
                                      "--mem=0"}; // all memory of the node
  if (choice.node_gpus > 0) options.push_back("--gpus-per-node=" + std::to_string(choice.node_gpus));
  options.push_back("--time=" + hours(choice.job_time_limit_s));
  options.push_back(fmt::format("--signal=B:USR1@{}", warning_s));
  options.insert(options.end(), {"--requeue", "--open-mode=append", "--output=" + sbatch_file(job.log)});
  if (!choice.partition.empty()) options.push_back("--partition=" + choice.partition);
  options.insert(options.end(), choice.sbatch.begin(), choice.sbatch.end());
  return options;
}

/// Returns lines that restore variables which the files of the login shell may have changed.
std::string exports(const std::vector<std::string>& environment) {
  const std::vector<std::string> names = forwarded_names(environment);
  std::string text;
  for (const std::string& name : names) {
    const auto variable = std::find_if(environment.begin(), environment.end(),
                                       [&](const std::string& one) { return one.rfind(name + "=", 0) == 0; });
    text += "export " + name + "=" + shell_word(variable->substr(name.size() + 1)) + "\n";
  }
  return text;
}

} // namespace

std::string slurm_script(const LauncherChoice& choice, const SlurmJob& job) {
  std::string text = "#!/bin/bash -l\n";
  for (const std::string& option : sbatch_options(choice, job)) text += "#SBATCH " + option + "\n";
  text += exports(job.environment);
  text += fmt::format("export {}=$SLURM_JOB_ID\n", own_job);
  text += "cd " + shell_word(job.folder) + " || exit\n";
  for (const std::string& line : choice.before) text += line + "\n";
  return text + "exec " + shell_line(job.words) + "\n";
}

bool inside_slurm_job() {
  const std::string own = variable_or(own_job, "");
  return !own.empty() && own == variable_or("SLURM_JOB_ID", "");
}

NodeCores cores_in_slurm(const std::string& cpus_on_node, const NodeCores& here) {
  const int cpus = std::atoi(cpus_on_node.c_str());
  if (cpus <= 0) return here;
  const int threads = std::max(1, cpus / here.cores);
  return {cpus / threads, threads};
}

std::string requeue_slurm_job(std::int64_t most) {
  const std::string job = variable_or("SLURM_JOB_ID", "");
  const std::int64_t before = std::atoll(variable_or("SLURM_RESTART_COUNT", "0").c_str());
  if (before >= most) {
    return fmt::format("the job's time is up, and it was queued again {} times already (\"resubmissions\"); run the "
                       "same command again to go on",
                       before);
  }
  run_and_read({"scontrol", "requeue", job});
  return fmt::format("the job's time is up: job {} is queued again, {} of {} times", job, before + 1, most);
}

std::string submit_to_slurm(const std::string& script_file) {
  std::string id = run_and_read({"sbatch", "--parsable", script_file});
  return id.substr(0, id.find_first_of(";\n"));
}

// A launcher of ranks in a Slurm allocation that this process is in.

namespace {

class SlurmLauncher final : public Launcher {
public:
  SlurmLauncher(const LauncherChoice& choice, const Site& site)
      : choice_(choice), site_(site), node_(cores_in_slurm(variable_or("SLURM_CPUS_ON_NODE", ""), site.node)) {}

  std::vector<std::string> words(const LaunchJob& job) const override {
    std::vector<std::string> words = choice_.start == "srun" ? srun(job) : mpirun(job);
    words.insert(words.end(), job.words.begin(), job.words.end());
    return words;
  }

  std::vector<std::string> environment() const override { return rank_environment(); }

private:
  int cores_for(const LaunchJob& job) const {
    return cores_of_rank(node_.cores, job.ranks_per_node, choice_.cores_per_rank);
  }

  std::vector<std::string> srun(const LaunchJob& job) const {
    std::vector<std::string> words = {"srun",
                                      "--mpi=" + choice_.mpi,
                                      "--nodes=" + std::to_string(job.nodes),
                                      "--ntasks-per-node=" + std::to_string(job.ranks_per_node),
                                      "--kill-on-bad-exit=1",
                                      "--export=ALL"};
    if (const int cores = cores_for(job); cores > 0) {
      words.push_back("--cpus-per-task=" + std::to_string(cores * node_.threads_per_core));
      words.emplace_back("--cpu-bind=cores");
    } else {
      words.insert(words.end(), {"--overcommit", "--cpu-bind=none"});
    }
    if (choice_.node_gpus > 0) {
      words.push_back("--gpus-per-node=" + std::to_string(choice_.node_gpus));
      words.push_back("--gpu-bind=" + gpu_binding(job));
    }
    words.insert(words.end(), choice_.srun.begin(), choice_.srun.end());
    return words;
  }

  /// Returns the binding of GPUs. Either the i-th rank of a node gets GPU i and sees no other, or every rank sees all
  /// and takes the i-th itself.
  std::string gpu_binding(const LaunchJob& job) const {
    if (choice_.gpu_binding == GpuBinding::none) return "none";
    std::vector<std::int64_t> gpus;
    for (std::int64_t i = 0; i < job.ranks_per_node; ++i) gpus.push_back(i % choice_.node_gpus);
    return fmt::format("map_gpu:{}", fmt::join(gpus, ","));
  }

  std::vector<std::string> mpirun(const LaunchJob& job) const {
    RankLaunch launch;
    launch.mpirun = site_.mpirun;
    launch.where = RanksOn::allocation;
    launch.nodes = job.nodes;
    launch.ranks_per_node = job.ranks_per_node;
    launch.cores_per_rank = cores_for(job);
    launch.threads_per_core = node_.threads_per_core;
    launch.environment = rank_environment();
    launch.forwarded = forwarded_names(site_.environment);
    launch.options = choice_.options;
    return mpirun_words(launch);
  }

  LauncherChoice choice_;
  Site site_;
  NodeCores node_;
};

} // namespace

std::unique_ptr<Launcher> slurm_launcher(const LauncherChoice& choice, const Site& site) {
  return std::make_unique<SlurmLauncher>(choice, site);
}

} // namespace ddltrain
