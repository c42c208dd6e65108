#include "trainer/campaign/run_campaign.hpp"
#include "trainer/run_error.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>
#include <unistd.h>
#include <vector>

namespace ddltrain {

CoreTime parse_core_time(const std::string& proc_stat) {
  // number of fields: cpu user nice system idle iowait irq softirq steal. The field user includes guest time
  constexpr std::size_t stat_fields = 8;
  constexpr std::size_t idle_column = 3;
  constexpr std::size_t waiting_column = 4;
  std::istringstream stream(proc_stat);
  std::string label;
  stream >> label;
  std::vector<double> ticks(stat_fields, 0);
  for (double& each : ticks) {
    stream >> each;
  }
  if (label != "cpu" || !stream) {
    throw RunError("/proc/stat does not begin with the sum over cores");
  }
  const auto ticks_a_second = static_cast<double>(sysconf(_SC_CLK_TCK));
  CoreTime time;
  for (const double each : ticks) {
    time.all_s += each / ticks_a_second;
  }
  time.busy_s = time.all_s - (ticks[idle_column] + ticks[waiting_column]) / ticks_a_second;
  return time;
}

CoreTime core_time() {
  std::ifstream file("/proc/stat");
  return parse_core_time(std::string(std::istreambuf_iterator<char>(file), {}));
}

double others_busy_cores(const CoreTime& begin, const CoreTime& end, double own_s, int cores) {
  const double all_s = end.all_s - begin.all_s;
  const double others_s = end.busy_s - begin.busy_s - own_s;
  return all_s > 0 ? std::max(0.0, others_s / all_s * cores) : 0;
}

} // namespace ddltrain
