#include "trainer/campaign/launcher.hpp"

#include "trainer/run_error.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <climits>
#include <unistd.h>

namespace ddltrain {
std::string shell_word(const std::string& word) {
  const auto plain = [](unsigned char c) {
    return std::isalnum(c) != 0 || std::string("_-./:=,+@%").find(static_cast<char>(c)) != std::string::npos;
  };
  if (!word.empty() && std::all_of(word.begin(), word.end(), plain)) {
    return word;
  }
  std::string quoted = "'";
  for (const char c : word) {
    quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  }
  return quoted + "'";
}

std::string shell_line(const std::vector<std::string>& words) {
  std::string line;
  for (const std::string& word : words) {
    line.append(line.empty() ? "" : " ").append(shell_word(word));
  }
  return line;
}

namespace {

void need(const std::string& program, const std::string& package) {
  if (!program_exists(program)) {
    throw RunError("the program " + program + " is missing (Debian: " + package + ")");
  }
}

Site this_site(bool with_mpirun) {
  Site site;
  if (with_mpirun) site.mpirun = installed_mpirun();
  site.node = cores_of_this_node();
  site.environment = own_environment();
  return site;
}

} // namespace

std::unique_ptr<Launcher> make_launcher(const LauncherChoice& choice) {
  switch (choice.kind) {
  case LauncherKind::local:
    return local_launcher(choice, this_site(true));
  case LauncherKind::mpirun:
    return mpirun_launcher(choice, this_site(true));
  case LauncherKind::slurm:
    need("srun", "slurm-client");
    return slurm_launcher(choice, this_site(choice.start == "mpirun"));
  case LauncherKind::testbed:
    need("mpirun", "openmpi-bin");
    need("tc", "iproute2");
    return testbed_launcher(choice);
  }
  throw RunError("no such launcher");
}

// Launchers of ranks on this machine and on a list of hosts. Both use mpirun.

namespace {

bool is_this_machine(const std::string& host) {
  std::array<char, HOST_NAME_MAX + 1> own{};
  return host == "localhost" || (gethostname(own.data(), own.size() - 1) == 0 && host == own.data());
}

std::vector<std::string> joined(std::vector<std::string> words, const std::vector<std::string>& more) {
  words.insert(words.end(), more.begin(), more.end());
  return words;
}

class LocalLauncher final : public Launcher {
public:
  LocalLauncher(const LauncherChoice& choice, Site site) : choice_(choice), site_(std::move(site)) {}

  std::vector<std::string> words(const LaunchJob& job) const override {
    RankLaunch launch;
    launch.mpirun = site_.mpirun;
    launch.ranks_per_node = job.nodes * job.ranks_per_node; // this machine takes the place of all nodes
    launch.cores_per_rank = cores_of_rank(site_.node.cores, launch.ranks_per_node, choice_.cores_per_rank);
    launch.threads_per_core = site_.node.threads_per_core;
    launch.environment = rank_environment();
    return joined(mpirun_words(launch), job.words);
  }
  std::vector<std::string> environment() const override { return rank_environment(); }
  bool ranks_are_here(std::int64_t /*nodes*/) const override { return true; }

private:
  LauncherChoice choice_;
  Site site_;
};

class HostsLauncher final : public Launcher {
public:
  HostsLauncher(const LauncherChoice& choice, Site site) : choice_(choice), site_(std::move(site)) {}

  std::vector<std::string> words(const LaunchJob& job) const override {
    RankLaunch launch;
    launch.mpirun = site_.mpirun;
    launch.where = RanksOn::hosts;
    launch.hosts = choice_.hosts;
    launch.nodes = job.nodes;
    launch.ranks_per_node = job.ranks_per_node;
    launch.cores_per_rank = cores_of_rank(site_.node.cores, job.ranks_per_node, choice_.cores_per_rank);
    launch.threads_per_core = site_.node.threads_per_core;
    launch.environment = rank_environment();
    launch.forwarded = forwarded_names(site_.environment);
    launch.options = choice_.options;
    return joined(mpirun_words(launch), job.words);
  }
  std::vector<std::string> environment() const override { return rank_environment(); }
  bool ranks_are_here(std::int64_t nodes) const override {
    return std::all_of(choice_.hosts.begin(), choice_.hosts.begin() + nodes, is_this_machine);
  }

private:
  LauncherChoice choice_;
  Site site_;
};

} // namespace

std::unique_ptr<Launcher> local_launcher(const LauncherChoice& choice, const Site& site) {
  return std::make_unique<LocalLauncher>(choice, site);
}

std::unique_ptr<Launcher> mpirun_launcher(const LauncherChoice& choice, const Site& site) {
  return std::make_unique<HostsLauncher>(choice, site);
}

} // namespace ddltrain
