#pragma once
// Who else used the processor while something was measured.

#include "trainer/records/record.hpp"

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

/// Cores that others kept busy between two moments: machine minus `own_s`, over the wall time, never below 0. `own_s`
/// is that of every process of the measurement on this machine.
/// Negative where the time between is below kShortestWindow_s: the counters cannot tell.
double others_busy_cores(const CpuUse& from, const CpuUse& to, double own_s);
double others_busy_cores(const CpuUse& from, const CpuUse& to);

/// The counters tick every 10 ms on each core: over a fifth of a second that is 5 % of a core.
inline constexpr double kShortestWindow_s = 0.2;

/// A measurement during which others kept more than this share of a core busy is marked suspect. A quiet machine shows
/// about 0.02 (the counters' 10 ms ticks and the kernel's own work); 0.15 of a core taken for short bursts moves
/// medians by about what we want to resolve, a few per cent.
inline constexpr double kSuspectCores = 0.15;

/// "others kept 0.02 cores busy", or that the measurement was too short to tell.
std::string others_text(double others_cores);

/// Does this process have real-time priority, so that it runs as soon as it can, whatever others do? Rings on the
/// testbed then take as long with both cores full of compilers as alone, within 1 %.
bool goes_first();

/// Adds what the others did to the note, and marks the record above kSuspectCores unless this process goes first.
void mark_disturbance(RecordHead& head, double others_cores);

} // namespace ddltrain
