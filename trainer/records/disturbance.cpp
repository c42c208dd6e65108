#include "trainer/records/disturbance.hpp"

#include "trainer/records/statistics.hpp"

#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <unistd.h>

namespace ddltrain {
namespace {

double seconds(const timeval& time) {
  constexpr double microsecond = 1e-6;
  return static_cast<double>(time.tv_sec) + microsecond * static_cast<double>(time.tv_usec);
}

double own_cpu_s() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

} // namespace

double machine_busy_s(std::istream& proc_stat, double ticks_per_s) {
  // Columns of a "cpu" line (Linux Documentation/filesystems/proc.rst): user nice system idle iowait irq softirq steal;
  // user includes guest.
  enum Column { user, nice, system, idle, iowait, irq, softirq, steal, columns };
  std::string line;
  while (std::getline(proc_stat, line)) {
    if (line.rfind("cpu ", 0) != 0) continue;
    std::istringstream words(line.substr(4));
    std::array<double, columns> ticks{};
    for (double& tick : ticks) words >> tick;
    return (ticks[user] + ticks[nice] + ticks[system] + ticks[irq] + ticks[softirq] + ticks[steal]) / ticks_per_s;
  }
  return 0;
}

CpuUse cpu_use() {
  std::ifstream stat("/proc/stat");
  const double busy_s = machine_busy_s(stat, static_cast<double>(::sysconf(_SC_CLK_TCK)));
  return {now_s(), busy_s, own_cpu_s()};
}

double OtherCpuUse::excess() const {
  return cores - harmless_cores(left_idle);
}

OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to, double own_s, int cores) {
  const double wall_s = to.wall_s - from.wall_s;
  if (wall_s < shortest_window_s) return {};
  const double others_s = to.machine_busy_s - from.machine_busy_s - own_s;
  return {std::max(0.0, others_s / wall_s), std::max(0.0, cores - own_s / wall_s)};
}

OtherCpuUse other_cpu_use(const CpuUse& from, const CpuUse& to) {
  return other_cpu_use(from, to, to.own_s - from.own_s, cores_of_machine());
}

int cores_of_machine() {
  return static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
}

std::string others_text(const OtherCpuUse& others) {
  if (others.cores < 0) return "too short to tell who else was busy";
  return fmt::format("others kept {:.2f} cores busy", others.cores);
}

bool goes_first() {
  const int policy = ::sched_getscheduler(0);
  return policy == SCHED_RR || policy == SCHED_FIFO;
}

void mark_disturbance(RecordHead& head, const OtherCpuUse& others) {
  head.note += (head.note.empty() ? "" : "; ") + others_text(others);
  if (goes_first()) {
    head.note += ", after this process";
  } else if (others.cores >= 0 && others.excess() > 0) {
    head.suspect = true;
    head.note += fmt::format(", more than {:.2f}: suspect", harmless_cores(others.left_idle));
  }
}

} // namespace ddltrain
