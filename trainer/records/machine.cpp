#include "trainer/records/surroundings.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <array>
#include <ctime>
#include <fstream>
#include <sstream>
#include <unistd.h>

namespace ddltrain {
namespace {

constexpr double kGibibyte = 1024.0 * 1024 * 1024;

} // namespace

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
  const std::string memory = fmt::format("{:.1f} GiB", machine.memory_bytes / kGibibyte);
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
