#pragma once
// A real Slurm on this machine: munged, slurmctld and two slurmd, everything in one folder, ended with the object.

#include "work_folder.hpp"

#include <sys/types.h>

#include <string>
#include <vector>

namespace ddltrain_test {

/// Why it cannot be started here; "" when it can.
std::string no_slurm_because();

class SlurmCluster {
public:
  /// Throws std::runtime_error with the daemons' logs when the nodes do not become idle.
  SlurmCluster();
  ~SlurmCluster();
  SlurmCluster(const SlurmCluster&) = delete;
  SlurmCluster& operator=(const SlurmCluster&) = delete;

  /// Waits until no job is queued or running. False after a minute.
  bool wait_until_empty() const;
  /// What it says of itself, for a test that failed.
  std::string state() const;
  const WorkFolder& folder() const { return folder_; }

private:
  void start(const std::vector<std::string>& words, const std::string& log);
  void stop();
  bool nodes_are_idle() const;

  WorkFolder folder_;
  std::vector<pid_t> daemons_;
};

} // namespace ddltrain_test
