#include "tests/smpi/smpirun.hpp"

#include "sim/simgrid/simgrid_settings.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace ddlsim_test {
namespace {

/// What SMPI adds beside the network, taken away: it would time the host's own computing, send small messages before
/// the receiver is there, give a sender its buffer back early, and charge 10 ns for reading the clock.
/// SimGrid 3.32's lazy solver lets flows whose latencies end at one moment pass a link faster than its rate until the
/// first of them ends (16 workers, 36 B to one server and 50 kB to another: 8 us of 1,640 too early); Full does not.
/// Our links have no latency, so that our own runs are the same under both.
constexpr const char* plain_messages = " --cfg=smpi/simulate-computation:no --cfg=smpi/async-small-thresh:0"
                                       " --cfg=smpi/send-is-detached-thresh:0 --cfg=smpi/wtime:0"
                                       " --cfg=network/optim:Full"
                                       " --log=root.thresh:error";

/// A folder of this process, gone at the end.
struct TemporaryFolder {
  TemporaryFolder() : path(std::filesystem::temp_directory_path() / ("ddlsim-smpi-" + std::to_string(getpid()))) {
    std::filesystem::create_directories(path);
  }
  ~TemporaryFolder() { std::filesystem::remove_all(path); }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  std::filesystem::path path;
};

/// A route is a host's link up and another's link down: each has half of the latency.
void write_platform(const std::filesystem::path& file, const SmpiStar& star) {
  std::ofstream out(file);
  out << std::setprecision(17) << "<?xml version='1.0'?>\n"
      << "<!DOCTYPE platform SYSTEM \"https://simgrid.org/simgrid.dtd\">\n<platform version=\"4.1\">\n"
      << "<cluster id=\"star\" prefix=\"host\" suffix=\"\" radical=\"0-" << star.hosts - 1 << "\" speed=\"1Gf\" bw=\""
      << star.rate_Bps << "Bps\" lat=\"" << star.latency_s / 2
      << "s\" sharing_policy=\"SPLITDUPLEX\" loopback_bw=\"1e15Bps\" loopback_lat=\"" << star.loopback_latency_s
      << "s\"/>\n</platform>\n";
}

void write_hosts(const std::filesystem::path& file, int hosts) {
  std::ofstream out(file);
  for (int host = 0; host < hosts; ++host) out << "host" << host << '\n';
}

std::string text_of(const std::filesystem::path& file) {
  std::ifstream in(file);
  return {std::istreambuf_iterator<char>(in), {}};
}

} // namespace

double simulated_s(const SmpiStar& star, const std::string& program_and_arguments, const std::string& settings) {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path / "output";
  write_platform(folder.path / "platform.xml", star);
  write_hosts(folder.path / "hosts", star.hosts);
  std::ostringstream command;
  command << DDLSIM_SMPIRUN << " -platform " << folder.path / "platform.xml"
          << " -hostfile " << folder.path / "hosts"
          << " -np " << star.hosts << " --cfg=smpi/tmpdir:" << folder.path.string();
  for (const char* setting : ddlsim::simulated_time_settings()) command << " --cfg=" << setting;
  command << plain_messages << ' ' << settings << ' ' << DDLSIM_MPI_PROGRAMS << '/' << program_and_arguments << " > "
          << output << " 2>&1";
  const int status = std::system(command.str().c_str());
  const std::string printed = text_of(output);
  char* end = nullptr;
  const double seconds = std::strtod(printed.c_str(), &end);
  if (status != 0 || end == printed.c_str() || std::string(end) != "\n")
    throw std::runtime_error("smpirun: " + command.str() + " printed: " + printed);
  return seconds;
}

ddlsim::Machine star_of(int hosts) {
  ddlsim::Machine machine;
  machine.ranks = hosts;
  machine.nic_Bps = rate_Bps;
  machine.net_latency_s = latency_s;
  return machine;
}

} // namespace ddlsim_test
