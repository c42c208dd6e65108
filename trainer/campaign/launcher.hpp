#pragma once

#include "trainer/campaign/campaign.hpp"
#include "trainer/campaign/child.hpp"
#include "trainer/campaign/launch_words.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ddltrain {
/// The word as a POSIX shell reads it back: in single quotes where it holds anything but plain characters.
std::string shell_word(const std::string& word);

/// Words joined by blanks, each quoted where needed.
std::string shell_line(const std::vector<std::string>& words);

// How the ranks of a part are started: the one interface, four ways behind it.

/// One start of a program with nodes x ranks_per_node ranks.
struct LaunchJob {
  std::vector<std::string> words; ///< of one rank
  std::int64_t nodes = 1;
  std::int64_t ranks_per_node = 1;
  std::string folder; ///< to run in
  std::string log;
  double time_limit_s = 600;
  double rate_Bps = 0; ///< testbed: of the links; 0: the launcher's
};

class Launcher {
public:
  virtual ~Launcher() = default;

  /// The command line that starts the job, for a person to read and for `run`.
  virtual std::vector<std::string> words(const LaunchJob& job) const = 0;

  /// Makes what a job of so many nodes needs; what is unneeded any more is unmade. Unmade in any case at the end.
  virtual void prepare(const LaunchJob& job, const SignalWatch& signals) {
    static_cast<void>(job);
    static_cast<void>(signals);
  }

  /// Variables of the job's environment, NAME=VALUE.
  virtual std::vector<std::string> environment() const { return {}; }

  /// Its processes go before others of this machine, as Command::goes_first.
  virtual bool goes_first() const { return false; }

  /// All ranks of a job of so many nodes share this machine, so its load says whether a measurement is to be trusted.
  virtual bool ranks_are_here(std::int64_t nodes) const {
    static_cast<void>(nodes);
    return false;
  }
};

/// What ranks are started with.
struct Site {
  Mpirun mpirun = Mpirun::open_mpi_4;
  NodeCores node;                       ///< of each node; they are alike
  std::vector<std::string> environment; ///< NAME=VALUE where the campaign runs
};

std::unique_ptr<Launcher> local_launcher(const LauncherChoice& choice, const Site& site);
std::unique_ptr<Launcher> mpirun_launcher(const LauncherChoice& choice, const Site& site);
std::unique_ptr<Launcher> slurm_launcher(const LauncherChoice& choice, const Site& site); ///< inside an allocation
std::unique_ptr<Launcher> testbed_launcher(const LauncherChoice& choice);

/// The launcher of the campaign's kind. Throws RunError when a program it needs is missing, naming the package.
std::unique_ptr<Launcher> make_launcher(const LauncherChoice& choice);

} // namespace ddltrain
