#pragma once
// Runs the campaign of a cluster part by part, and looks how busy the machine is besides.

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ddltrain {

// How busy this machine is besides what is measured.

/// Seconds of all cores since boot, as /proc/stat counts them.
struct CoreTime {
  double busy_s = 0; ///< everything but idle and waiting for disks; time stolen by a hypervisor counts
  double all_s = 0;  ///< of all cores together
};

/// Reads the text of /proc/stat. Throws RunError when its first line is none of a sum over cores.
CoreTime parse_core_time(const std::string& proc_stat);
CoreTime core_time();

/// Mean number of cores that others kept busy between two readings, of `cores`: all that were busy but the `own_s`
/// processor seconds of what was measured; never below 0.
double others_busy_cores(const CoreTime& begin, const CoreTime& end, double own_s, int cores);

struct CampaignOptions {
  std::string cluster;             ///< a folder of DATA/platforms, or the path of an own cluster
  std::string data_folder = ".";   ///< holds platforms/ and scenarios/; runs are started in it
  std::string output_folder;       ///< "": measurements/ in the cluster's folder
  std::vector<std::string> only;   ///< names or commands of runs; none: all
  std::vector<std::int64_t> nodes; ///< none: all
  std::string program;             ///< whose subcommands are run; "": this one
  bool dry_run = false;
  bool repeat_suspect = false; ///< parts that were disturbed are measured again
};

/// Where the text goes: progress to standard error, what a dry run would start to standard output.
struct CampaignOutput {
  std::function<void(const std::string& line)> progress;
  std::function<void(const std::string& line)> plan;
};

/// Runs the cluster's campaign.json, except for what is measured already. A part that fails does
/// not stop the others; RunError names those that failed at the end. Throws UserError for a campaign that cannot be,
/// and Interrupted when a signal asked us to stop.
void run_campaign(const CampaignOptions& options, const CampaignOutput& output);

} // namespace ddltrain
