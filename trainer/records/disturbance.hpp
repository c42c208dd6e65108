#pragma once
// Who else used the processor while something was measured.

#include "trainer/records/record_file.hpp"

#include <istream>

namespace ddltrain {

/// Processor seconds up to a moment.
struct CpuUse {
  double wall_s = 0;
  double machine_busy_s = 0; ///< of all cores, all processes, and what the host took from a virtual machine
  double own_s = 0;          ///< of this process
};

/// Busy seconds of all cores in the text of /proc/stat, whose counters run `ticks_per_s`. 0 when it has no "cpu" line.
double machine_busy_s(std::istream& proc_stat, double ticks_per_s);

/// Now. machine_busy_s is 0 where there is no /proc/stat.
CpuUse cpu_use();

/// What others did on a node while something was measured there.
struct OtherCpuUse {
  double cores = -1;    ///< that others kept busy; negative: the time was too short to tell
  double left_idle = 0; ///< cores that the measurement itself did not use

  /// How far others went beyond what does no harm; at most 0: they did none.
  double excess() const;
};

/// Others' cores between two moments: the machine's busy time without `own_s`, over the wall time, never below 0.
/// `own_s` is that of every process of the measurement on this machine, which has `cores`. Below shortest_window_s the
/// counters cannot tell.
OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to, double own_s, int cores);

/// The same on this machine, of this process alone.
OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to);

/// The counters tick every 10 ms on each core: over a fifth of a second that is 5 % of a core.
inline constexpr double shortest_window_s = 0.2;

/// Where a measurement uses every core, others may keep this much of one busy. A quiet machine shows about 0.02 (the
/// counters' 10 ms ticks and the kernel's own work); 0.15 of a core taken for short bursts moves medians by about what
/// we want to resolve, a few per cent.
inline constexpr double suspect_cores = 0.15;

/// ... and this share of the cores that the measurement leaves idle: the kernel wakes others there, where they take
/// memory bandwidth and clock, not time. A tenth of the node is the daemons of a node of 28 cores, and no second job.
inline constexpr double idle_share = 0.1;

/// Cores that others may keep busy without harm.
inline constexpr double harmless_cores(double left_idle) {
  return suspect_cores + idle_share * (left_idle > 0 ? left_idle : 0);
}

/// Cores of this machine, whether or not this process may run on them.
int cores_of_machine();

/// "others kept 0.02 cores busy", or that the measurement was too short to tell.
std::string others_text(const OtherCpuUse& others);

/// Does this process have real-time priority, so that it runs as soon as it can, whatever others do? Rings on the
/// testbed then take as long with both cores full of compilers as alone, within 1 %.
bool goes_first();

/// Adds what the others did to the note, and marks the record above harmless_cores() unless this process goes first.
void mark_disturbance(RecordHead& head, const OtherCpuUse& others);

} // namespace ddltrain
