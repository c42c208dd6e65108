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

} // namespace

std::vector<std::string> rank_environment() {
  std::vector<std::string> variables = {"OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1"};
  if (geteuid() == 0) {
    variables.insert(variables.end(), {"OMPI_ALLOW_RUN_AS_ROOT=1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1"});
  }
  return variables;
}

std::unique_ptr<Launcher> make_launcher(const LauncherChoice& choice) {
  switch (choice.kind) {
  case LauncherKind::local:
    need("mpirun", "openmpi-bin");
    return local_launcher();
  case LauncherKind::mpirun:
    need("mpirun", "openmpi-bin");
    return mpirun_launcher(choice);
  case LauncherKind::slurm:
    need("srun", "slurm-client");
    return slurm_launcher(choice);
  case LauncherKind::testbed:
    need("mpirun", "openmpi-bin");
    need("tc", "iproute2");
    return testbed_launcher(choice);
  }
  throw RunError("no such launcher");
}

// Ranks on this machine, and on a list of hosts: both are mpirun.

namespace {

bool is_this_machine(const std::string& host) {
  std::array<char, HOST_NAME_MAX + 1> own{};
  return host == "localhost" || (gethostname(own.data(), own.size() - 1) == 0 && host == own.data());
}

std::vector<std::string> mpirun(const LaunchJob& job, const std::vector<std::string>& options) {
  std::vector<std::string> words = {"mpirun", "-np", std::to_string(job.nodes * job.ranks_per_node)};
  words.insert(words.end(), options.begin(), options.end());
  words.insert(words.end(), job.words.begin(), job.words.end());
  return words;
}

class LocalLauncher final : public Launcher {
public:
  std::vector<std::string> words(const LaunchJob& job) const override {
    // More ranks than cores is what a test on one machine is; without binding the kernel shares the cores fairly.
    return mpirun(job, {"--oversubscribe", "--bind-to", "none", "--mca", "mpi_yield_when_idle", "1"});
  }
  std::vector<std::string> environment() const override { return rank_environment(); }
  bool ranks_are_here(std::int64_t /*nodes*/) const override { return true; }
};

class HostsLauncher final : public Launcher {
public:
  explicit HostsLauncher(const LauncherChoice& choice) : choice_(choice) {}

  std::vector<std::string> words(const LaunchJob& job) const override {
    std::string hosts;
    for (std::int64_t i = 0; i < job.nodes; ++i) {
      hosts.append(i == 0 ? "" : ",").append(choice_.hosts.at(static_cast<std::size_t>(i)));
      hosts.append(":").append(std::to_string(job.ranks_per_node));
    }
    std::vector<std::string> options = {"--host", hosts, "--map-by", "slot"}; // ranks fill nodes
    for (const std::string& variable : rank_environment()) {
      options.insert(options.end(), {"-x", variable});
    }
    options.insert(options.end(), choice_.options.begin(), choice_.options.end());
    return mpirun(job, options);
  }
  std::vector<std::string> environment() const override { return rank_environment(); }
  bool ranks_are_here(std::int64_t nodes) const override {
    return std::all_of(choice_.hosts.begin(), choice_.hosts.begin() + nodes, is_this_machine);
  }

private:
  LauncherChoice choice_;
};

} // namespace

std::unique_ptr<Launcher> local_launcher() {
  return std::make_unique<LocalLauncher>();
}

std::unique_ptr<Launcher> mpirun_launcher(const LauncherChoice& choice) {
  return std::make_unique<HostsLauncher>(choice);
}

} // namespace ddltrain
