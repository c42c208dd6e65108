#pragma once
// How busy this machine is besides what is measured.

#include <string>

namespace ddltrain {

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

} // namespace ddltrain
