#include "sim/base/threads.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <fstream>
#include <future>
#include <limits>
#include <sched.h>
#include <sstream>
#include <string>
#include <vector>

namespace ddlsim {
namespace {

namespace fs = std::filesystem;

int cores_of_affinity() {
  cpu_set_t cores;
  CPU_ZERO(&cores);
  // there are more than 1,024 cores, and their number is not known
  if (::sched_getaffinity(0, sizeof cores, &cores) != 0) return 1;
  return std::max(1, CPU_COUNT(&cores));
}

constexpr double no_limit = std::numeric_limits<double>::infinity();

/// Number of cores that a quota allows: microseconds of processor time in each period, over the length of the period.
/// "max" and -1 mean no limit.
double quota_cores(const std::string& quota_us, const std::string& period_us) {
  double quota = 0;
  double period = 0;
  if (!(std::istringstream(quota_us) >> quota) || !(std::istringstream(period_us) >> period)) return no_limit;
  return quota > 0 && period > 0 ? quota / period : no_limit;
}

std::string first_line(const fs::path& file) {
  std::ifstream in(file);
  std::string line;
  std::getline(in, line);
  return line;
}

/// Reads control groups of version 2, whose cpu.max has "QUOTA PERIOD".
double cores_of_unified(const fs::path& group) {
  std::istringstream words(first_line(group / "cpu.max"));
  std::string quota;
  std::string period;
  words >> quota >> period;
  return quota_cores(quota, period);
}

/// Reads control groups of version 1, where quota and period have a file each.
double cores_of_controller(const fs::path& group) {
  return quota_cores(first_line(group / "cpu.cfs_quota_us"), first_line(group / "cpu.cfs_period_us"));
}

/// The smallest limit of the group and of the groups above it, up to the mount point. In a container the path may be
/// that of the host. Then only the mount point exists, and it is the container's own group.
double least_up_to(const fs::path& mount, const fs::path& group, double (*cores_of)(const fs::path&)) {
  double least = cores_of(mount);
  fs::path folder = mount;
  for (const auto& part : group.relative_path()) {
    if (part == "..") break; // the group is one that this process cannot see
    folder /= part;
    least = std::min(least, cores_of(folder));
  }
  return least;
}

/// The limit from a line of /proc/self/cgroup, which is ID:CONTROLLERS:PATH. For version 2 the controllers are empty.
double cores_of_group(const fs::path& root, const std::string& line) {
  const auto first = line.find(':');
  const auto second = first == std::string::npos ? first : line.find(':', first + 1);
  if (second == std::string::npos) return no_limit;
  const auto controllers = "," + line.substr(first + 1, second - first - 1) + ",";
  const fs::path group = line.substr(second + 1);
  const fs::path mount = root / "sys/fs/cgroup";
  if (controllers == ",,")
    return std::min(least_up_to(mount, group, cores_of_unified),
                    least_up_to(mount / "unified", group, cores_of_unified)); // for systems that mount both versions
  if (controllers.find(",cpu,") == std::string::npos) return no_limit;
  return least_up_to(mount / "cpu", group, cores_of_controller);
}

double cores_of_quota(const fs::path& root) {
  std::ifstream in(root / "proc/self/cgroup");
  double least = no_limit;
  for (std::string line; std::getline(in, line);) least = std::min(least, cores_of_group(root, line));
  return least;
}

} // namespace

int machine_threads(const fs::path& root) {
  const double quota = std::ceil(std::max(cores_of_quota(root), 0.0));
  const int cores = cores_of_affinity();
  return quota < cores ? std::max(1, static_cast<int>(quota)) : cores;
}

void share_out(std::size_t count, int threads, const std::function<void(const NextNumber&)>& work) {
  std::atomic<std::size_t> next{0};
  const NextNumber take = [&]() -> std::optional<std::size_t> {
    const std::size_t number = next++;
    if (number >= count) return {};
    return number;
  };
  std::vector<std::future<void>> others;
  for (std::size_t t = 1; t < std::min(count, static_cast<std::size_t>(std::max(1, threads))); ++t)
    others.push_back(std::async(std::launch::async, [&] { work(take); }));
  work(take);
  for (auto& other : others) other.get();
}

void for_each_number(std::size_t count, int threads, const std::function<void(std::size_t)>& work) {
  share_out(count, threads, [&](const NextNumber& next) {
    for (auto number = next(); number; number = next()) work(*number);
  });
}

int threads_of_each(int threads, std::size_t tasks) {
  const auto beside = std::clamp<std::size_t>(tasks, 1, static_cast<std::size_t>(std::max(1, threads)));
  return std::max(1, threads / static_cast<int>(beside));
}

} // namespace ddlsim
