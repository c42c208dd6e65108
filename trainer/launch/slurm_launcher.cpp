// Ranks in a Slurm allocation that we are already in.
#include "trainer/launch/launcher.hpp"

namespace ddltrain {
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
