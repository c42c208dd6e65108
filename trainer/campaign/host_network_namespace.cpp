#include "trainer/campaign/child.hpp"
#include "trainer/campaign/host_network.hpp"

#include <sys/stat.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <sstream>
#include <thread>
#include <unistd.h>

namespace ddltrain {
namespace {

namespace fs = std::filesystem;
constexpr const char* namespace_folder = "/run/netns";
/// Number of looks for a killed process, which is gone within milliseconds. One that hangs in the kernel must not stop
/// this process for ever.
constexpr int most_rounds = 100;
constexpr std::chrono::milliseconds round_pause(20);

/// Returns the ticks since boot when the process started, which are field 22 of /proc/PID/stat; "" when there is no
/// such process.
std::string start_of(const std::string& pid) {
  std::ifstream file("/proc/" + pid + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  const std::size_t after_name = text.rfind(')'); // the name may contain spaces
  if (after_name == std::string::npos) {
    return "";
  }
  std::istringstream fields(text.substr(after_name + 1));
  constexpr int start_after_name = 20;
  std::string field;
  for (int i = 0; i < start_after_name && fields >> field; ++i) {
  }
  return field;
}

/// Returns the processes whose network is that of the file.
std::vector<pid_t> processes_in(const fs::path& file) {
  struct stat wanted {};
  std::vector<pid_t> found;
  if (stat(file.c_str(), &wanted) != 0) {
    return found;
  }
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator("/proc", error)) {
    const std::string name = entry.path().filename();
    struct stat net {};
    const bool process = name.find_first_not_of("0123456789") == std::string::npos;
    if (process && stat((entry.path() / "ns/net").c_str(), &net) == 0 && net.st_ino == wanted.st_ino &&
        net.st_dev == wanted.st_dev) {
      found.push_back(static_cast<pid_t>(std::stol(name)));
    }
  }
  return found;
}

} // namespace

std::vector<std::string> namespaces_named(const std::string& prefix) {
  std::vector<std::string> names;
  std::error_code error;
  for (const fs::directory_entry& entry : fs::directory_iterator(namespace_folder, error)) {
    const std::string name = entry.path().filename();
    if (name.rfind(prefix, 0) == 0) {
      names.push_back(name);
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

void remove_namespace(const std::string& name) {
  const fs::path file = fs::path(namespace_folder) / name;
  for (int round = 0; round < most_rounds; ++round) {
    const std::vector<pid_t> processes = processes_in(file);
    if (processes.empty()) {
      break;
    }
    for (const pid_t process : processes) {
      kill(process, SIGKILL);
    }
    std::this_thread::sleep_for(round_pause);
  }
  if (fs::exists(file)) {
    run_and_read({"ip", "netns", "del", name});
  }
}

std::string own_name_prefix() {
  const std::string pid = std::to_string(getpid());
  return "ddltrain-" + pid + "-" + start_of(pid) + "-";
}

bool is_left_over(const std::string& name) {
  static const std::regex form("ddltrain-([0-9]+)-([0-9]+)-.*");
  std::smatch parts;
  return std::regex_match(name, parts, form) && start_of(parts[1]) != parts[2];
}

std::string temporary_root() {
  const char* folder = std::getenv("TMPDIR");
  return folder != nullptr && *folder != '\0' ? folder : "/tmp";
}

} // namespace ddltrain
