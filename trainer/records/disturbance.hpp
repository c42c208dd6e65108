#pragma once
// Load of the processor by other programs during a measurement.

#include "trainer/records/record_file.hpp"

#include <istream>

namespace ddltrain {

/// Processor seconds since the start of the machine and of this process.
struct CpuUse {
  double wall_s = 0;
  /// busy time of all cores: all processes, and the time that the host took from a virtual machine
  double machine_busy_s = 0;
  double own_s = 0; ///< processor time of this process
};

/// Returns the busy seconds of all cores from the text of /proc/stat, whose counters run at `ticks_per_s`. Returns 0
/// when the text has no "cpu" line.
double machine_busy_s(std::istream& proc_stat, double ticks_per_s);

/// Returns the processor seconds up to now. machine_busy_s is 0 where there is no /proc/stat.
CpuUse cpu_use();

/// The load of a node by other programs during a measurement.
struct OtherCpuUse {
  double cores = -1;    ///< cores that other programs kept busy; negative: the time was too short to tell
  double left_idle = 0; ///< cores that the measurement itself did not use

  /// Returns by how many cores the load exceeds harmless_cores(); 0 or less means a harmless load.
  double excess() const;
};

/// Others' cores between two moments: the machine's busy time without `own_s`, over the wall time, never below 0.
/// `own_s` is that of every process of the measurement on this machine, which has `cores`. Below shortest_window_s the
/// counters cannot tell.
OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to, double own_s, int cores);

/// Returns the same for this machine, where this process is the whole measurement.
OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to);

/// Shortest time in which the load can be told: the counters tick every 10 ms on each core, which is 5 % of a core over
/// a fifth of a second.
inline constexpr double shortest_window_s = 0.2;

/// Where a measurement uses every core, a load of other programs up to this part of one core is harmless. A quiet
/// machine shows about 0.02 (the counters' 10 ms ticks and the kernel's own work). A load of 0.15 of a core in short
/// bursts moves medians by a few per cent, about as much as measurements are to resolve.
inline constexpr double suspect_cores = 0.15;

/// Of the cores that the measurement leaves idle, other programs may use this share without harm: the kernel wakes them
/// there, where they take memory bandwidth and clock rate, but no processor time. On a node of 28 cores a tenth covers
/// the system's daemons, but no second job.
inline constexpr double idle_share = 0.1;

/// Returns the number of cores that other programs may keep busy without harm.
inline constexpr double harmless_cores(double left_idle) {
  return suspect_cores + idle_share * (left_idle > 0 ? left_idle : 0);
}

/// Returns the number of cores of this machine, including those that this process may not run on.
int cores_of_machine();

/// Returns "others kept 0.02 cores busy", or that the measurement was too short to tell.
std::string others_text(const OtherCpuUse& others);

/// Returns whether this process has real-time priority, so that it runs as soon as it can, whatever load other programs
/// are. On the testbed, rings then take as long with both cores full of compilers as alone, within 1 %.
bool goes_first();

/// Adds the load of other programs to the record's note, and marks the record when the load is above harmless_cores(),
/// unless this process has real-time priority.
void mark_disturbance(RecordHead& head, const OtherCpuUse& others);

} // namespace ddltrain
