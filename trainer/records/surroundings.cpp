#include "trainer/records/surroundings.hpp"

#include "trainer/campaign/launch_words.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <sched.h>
#include <sstream>
#include <string_view>
#include <unistd.h>

namespace ddltrain {
namespace {

constexpr double gibibyte = 1024.0 * 1024 * 1024;

template <std::size_t Count>
bool begins_with_one(const std::string& name, const std::array<const char*, Count>& texts) {
  return std::any_of(texts.begin(), texts.end(), [&](const char* text) { return name.rfind(text, 0) == 0; });
}

bool begins_with_one_of(const std::vector<std::string>& lines, const std::string& text) {
  return std::any_of(lines.begin(), lines.end(), [&](const std::string& line) { return line.rfind(text, 0) == 0; });
}

std::string first_line(const std::string& file) {
  std::ifstream stream(file);
  std::string line;
  std::getline(stream, line);
  return line;
}

void put(Facts& facts, const std::string& name, const std::string& value) {
  if (!value.empty()) facts[name] = value;
}

/// Returns in words which cores this process may run on.
std::string binding(const NodeCores& node) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return "";
  const int threads = CPU_COUNT(&set);
  if (threads >= node.cores * node.threads_per_core) return "not bound";
  return std::to_string(std::max(1, threads / node.threads_per_core));
}

int numa_nodes() {
  int count = 0;
  std::error_code none;
  for (const auto& entry : std::filesystem::directory_iterator("/sys/devices/system/node", none)) {
    const std::string name = entry.path().filename();
    count += name.rfind("node", 0) == 0 && name.find_first_not_of("0123456789", 4) == std::string::npos ? 1 : 0;
  }
  return count;
}

/// Returns "2893" from the line "cpu MHz           : 2893.202".
std::string clock_now_MHz() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("cpu MHz", 0) == 0 && colon != std::string::npos)
      return line.substr(colon + 2, line.find('.') - colon - 2);
  }
  return "";
}

std::string text_of_gpu(const GpuFacts& gpu, bool anonymous) {
  return join_parts(
      {gpu.name, anonymous ? "" : gpu.uuid,
       fmt::format("{} of {} MHz, memory {} MHz", gpu.clock_MHz, gpu.highest_clock_MHz, gpu.memory_clock_MHz)});
}

} // namespace

Facts steering_variables(const std::vector<std::string>& environment) {
  constexpr std::array<const char*, 9> wanted = {"NCCL_",  "UCX_", "OMPI_MCA_", "PRTE_MCA_",           "I_MPI_",
                                                 "MPICH_", "FI_",  "OMP_",      "OPENBLAS_NUM_THREADS"};
  // Variables that only tell how ranks were placed; cores_per_rank already records that.
  constexpr std::array<const char*, 10> unwanted = {
      "OMPI_MCA_orte_",  "OMPI_MCA_ess",          "OMPI_MCA_pmix",   "OMPI_MCA_plm_", "OMPI_MCA_shmem",
      "OMPI_MCA_rmaps_", "OMPI_MCA_initial_wdir", "OMPI_MCA_hwloc_", "I_MPI_HYDRA_",  "OMPI_MCA_mpi_oversubscribe"};
  const bool own_log = begins_with_one_of(environment, std::string(own_nccl_log) + "=");
  Facts found;
  for (const std::string& variable : environment) {
    if (own_log && variable.rfind("NCCL_DEBUG", 0) == 0) continue;
    const std::size_t equals = variable.find('=');
    if (equals == std::string::npos) continue;
    const std::string name = variable.substr(0, equals);
    // NVIDIA's container images set it to the version they contain; it steers nothing
    if (name == "NCCL_VERSION") continue;
    if (begins_with_one(name, wanted) && !begins_with_one(name, unwanted)) found[name] = variable.substr(equals + 1);
  }
  return found;
}

Facts settings_of_run() {
  Facts facts = steering_variables(own_environment());
  const NodeCores node = cores_of_this_node();
  put(facts, "cores", std::to_string(node.cores));
  put(facts, "threads_per_core", std::to_string(node.threads_per_core));
  put(facts, "cores_per_rank", binding(node));
  if (const int count = numa_nodes(); count > 0) put(facts, "numa_nodes", std::to_string(count));
  const std::string highest_kHz = first_line("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
  if (highest_kHz.size() > 3) put(facts, "highest_clock_MHz", highest_kHz.substr(0, highest_kHz.size() - 3));
  put(facts, "kernel", this_machine().system);
  return facts;
}

Facts facts_of_node(bool anonymous) {
  Facts facts;
  put(facts, "clock_MHz", clock_now_MHz());
  put(facts, "governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor"));
  const std::vector<GpuFacts> gpus = gpus_of_node();
  for (std::size_t i = 0; i < gpus.size(); ++i) put(facts, fmt::format("gpu{}", i), text_of_gpu(gpus[i], anonymous));
  if (anonymous) return facts;
  put(facts, "host", this_machine().host);
  for (const char* name : {"SLURM_JOB_ID", "SLURM_JOB_PARTITION", "SLURM_JOB_NODELIST", "SLURMD_NODENAME",
                           "SLURM_TOPOLOGY_ADDR", "SLURM_TOPOLOGY_ADDR_PATTERN"}) {
    const char* const value = std::getenv(name);
    if (value != nullptr) put(facts, name, value);
  }
  return facts;
}

std::string text_of(const Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    std::string line = fmt::format("{}={}", name, value);
    std::replace(line.begin(), line.end(), '\n', ' ');
    text += line + "\n";
  }
  return text;
}

Facts facts_in(const std::string& text) {
  Facts facts;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const std::size_t equals = line.find('=');
    if (equals != std::string::npos) facts[line.substr(0, equals)] = line.substr(equals + 1);
  }
  return facts;
}

std::string processor_name(std::istream& cpuinfo) {
  std::string line;
  while (std::getline(cpuinfo, line)) {
    const std::size_t colon = line.find(": ");
    if (line.rfind("model name", 0) == 0 && colon != std::string::npos) return line.substr(colon + 2);
  }
  return "unknown processor";
}

Machine this_machine() {
  Machine machine;
  std::ifstream cpuinfo("/proc/cpuinfo");
  machine.processor = processor_name(cpuinfo);
  machine.cores = static_cast<int>(::sysconf(_SC_NPROCESSORS_ONLN));
  machine.memory_bytes = static_cast<double>(::sysconf(_SC_PHYS_PAGES)) * static_cast<double>(::sysconf(_SC_PAGESIZE));
  utsname names{};
  if (::uname(&names) == 0) {
    machine.system = std::string(names.sysname) + " " + names.release;
    machine.host = names.nodename;
  }
  return machine;
}

std::string machine_text(const Machine& machine) {
  const std::string memory = fmt::format("{:.1f} GiB", machine.memory_bytes / gibibyte);
  return join_parts({machine.processor, fmt::format("{} cores", machine.cores), memory, machine.system});
}

std::string nvidia_driver_version() {
  std::ifstream file("/proc/driver/nvidia/version");
  std::string line;
  std::getline(file, line);
  std::istringstream words(line);
  std::string word;
  while (words >> word) { // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  550.54.15  ..."
    if (word.find_first_not_of("0123456789.") == std::string::npos && word.find('.') != std::string::npos) return word;
  }
  return "";
}

std::string today() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  std::array<char, 16> text{};
  std::strftime(text.data(), text.size(), "%Y-%m-%d", &utc);
  return text.data();
}

std::string join_parts(const std::vector<std::string>& parts) {
  std::string text;
  for (const std::string& part : parts) {
    if (part.empty()) continue;
    text += (text.empty() ? "" : ", ") + part;
  }
  return text;
}

} // namespace ddltrain
