#pragma once

#include "trainer/campaign/campaign.hpp"
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launch_words.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {
/// Returns the word for a POSIX shell, in single quotes where it has other than plain characters.
std::string shell_word(const std::string& word);

/// Returns the words joined by blanks, each quoted where needed.
std::string shell_line(const std::vector<std::string>& words);

// The interface by which the ranks of a part are started. It has four implementations.

/// A start of a program with nodes x ranks_per_node ranks.
struct LaunchJob {
  std::vector<std::string> words; ///< command line of one rank
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::string folder; ///< folder to run in
  std::string log;
  double time_limit_s = 600;
  double rate_Bps = 0; ///< testbed: rate of the links; 0: that of the launcher
};

class Launcher {
public:
  virtual ~Launcher() = default;

  /// Returns the command line that starts the job, for people to read and for `run`.
  virtual std::vector<std::string> words(const LaunchJob& job) const = 0;

  /// Makes what a job of this many nodes needs, and removes what is no longer needed. Everything is removed at the end.
  virtual void prepare(const LaunchJob& job, const SignalWatch& signals) {
    static_cast<void>(job);
    static_cast<void>(signals);
  }

  /// Returns variables of the job's environment as NAME=VALUE.
  virtual std::vector<std::string> environment() const { return {}; }

  /// Whether its processes run before others of this machine, as Command::goes_first says.
  virtual bool goes_first() const { return false; }

  /// Whether all ranks of a job of this many nodes share this machine, so that its load decides whether a measurement
  /// can be trusted.
  virtual bool ranks_are_here(std::int64_t nodes) const {
    static_cast<void>(nodes);
    return false;
  }
};

/// The surroundings in which ranks are started.
struct Site {
  Mpirun mpirun = Mpirun::open_mpi_4;
  NodeCores node;                       ///< cores of each node; all nodes are equal
  std::vector<std::string> environment; ///< environment where the campaign runs, as NAME=VALUE
};

std::unique_ptr<Launcher> local_launcher(const LauncherChoice& choice, const Site& site);
std::unique_ptr<Launcher> mpirun_launcher(const LauncherChoice& choice, const Site& site);
/// inside an allocation of Slurm
std::unique_ptr<Launcher> slurm_launcher(const LauncherChoice& choice, const Site& site);
std::unique_ptr<Launcher> testbed_launcher(const LauncherChoice& choice);

/// Returns the launcher of the campaign's kind. Throws RunError, with the name of the package, when a program that it
/// needs is missing.
std::unique_ptr<Launcher> make_launcher(const LauncherChoice& choice);

} // namespace ddltrain
