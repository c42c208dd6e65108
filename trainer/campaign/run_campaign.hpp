#pragma once
// Runs the campaign of a cluster part by part, and measures how busy the machine is with other work.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

// How busy this machine is with work other than the measurement.

/// Seconds of all cores since boot, as /proc/stat counts them.
struct CoreTime {
  double busy_s = 0; ///< seconds that are not idle and not waiting for disks; time taken by a hypervisor counts
  double all_s = 0;  ///< seconds of all cores together
};

/// Reads the text of /proc/stat. Throws RunError when its first line is not the sum over the cores.
CoreTime parse_core_time(const std::string& proc_stat);
CoreTime core_time();

/// Returns the mean number of cores, of `cores`, that other processes kept busy between two readings: all that were
/// busy but the `own_s` processor seconds of the measurement; never below 0.
double others_busy_cores(const CoreTime& begin, const CoreTime& end, double own_s, int cores);

struct CampaignOptions {
  std::string cluster;             ///< name of a folder of DATA/platforms, or path of an own cluster
  std::string data_folder = ".";   ///< folder that holds platforms/ and scenarios/; runs are started in it
  std::string output_folder;       ///< folder for records; "": measurements/ in the cluster's folder
  std::vector<std::string> only;   ///< names or commands of runs; empty: all
  std::vector<std::int64_t> nodes; ///< numbers of nodes; empty: all
  std::string program;             ///< program whose subcommands are run; "": this one
  bool dry_run = false;
  bool repeat_suspect = false; ///< whether parts that were disturbed are measured again
};

/// Where texts go: progress to standard error, and what a dry run would start to standard output.
struct CampaignOutput {
  std::function<void(const std::string& line)> progress;
  std::function<void(const std::string& line)> plan;
};

/// Runs the cluster's campaign.json except for what is measured already. A part that fails does not stop the others;
/// RunError names those that failed at the end. Throws UserError for a campaign that is impossible, and Interrupted
/// when a signal asked this process to stop.
void run_campaign(const CampaignOptions& options, const CampaignOutput& output);

} // namespace ddltrain
