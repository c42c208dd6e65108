// An independent program for each schedule: plain MPI, with sums that it checks, against our full simulation. SMPI
// shares SimGrid's links with us, so this tests our schedules, bytes and delays, not the network model.

#include "sim/simgrid/executor.hpp"
#include "sim/simgrid/simgrid_settings.hpp"

#include <catch2/catch.hpp>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>
#include <unistd.h>
#include <vector>

using ddlsim::Fidelity;
using ddlsim::Machine;

namespace {

// Starts an MPI program under smpirun on a star of equal links.

/// One switch, a host for each rank, one link for each host and direction.
struct SmpiStar {
  int hosts = 1;
  double rate_Bps = 0;
  double latency_s = 0;          ///< from host to host
  double loopback_latency_s = 0; ///< from a host to itself; the loopback's rate never limits
};

/// SMPI puts an envelope of that many bytes around each message (simgrid 3.32, src/smpi/mpi/smpi_request.cpp).
constexpr double envelope_bytes = 16;

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

/// The simulated seconds that `arguments[0]`, a program of this folder, printed. Network settings are those of our own
/// simulation. Throws std::runtime_error with the program's output when it printed anything else.
double simulated_s(const SmpiStar& star, const std::string& program_and_arguments) {
  const TemporaryFolder folder;
  const std::filesystem::path output = folder.path / "output";
  write_platform(folder.path / "platform.xml", star);
  write_hosts(folder.path / "hosts", star.hosts);
  std::ostringstream command;
  command << DDLSIM_SMPIRUN << " -platform " << folder.path / "platform.xml"
          << " -hostfile " << folder.path / "hosts"
          << " -np " << star.hosts << " --cfg=smpi/tmpdir:" << folder.path.string();
  for (const char* setting : ddlsim::simulated_time_settings()) command << " --cfg=" << setting;
  command << plain_messages << ' ' << DDLSIM_MPI_PROGRAMS << '/' << program_and_arguments << " > " << output << " 2>&1";
  const int status = std::system(command.str().c_str());
  const std::string printed = text_of(output);
  char* end = nullptr;
  const double seconds = std::strtod(printed.c_str(), &end);
  if (status != 0 || end == printed.c_str() || std::string(end) != "\n")
    throw std::runtime_error("smpirun: " + command.str() + " printed: " + printed);
  return seconds;
}

/// Both sides add up the same moments; what differs is the order of additions, and our bytes are whole 2^-20 parts.
constexpr double rounding = 1e-6;

constexpr double float_bytes = 4;
constexpr double rate_Bps = 1e9;
constexpr double latency_s = 20e-6; // as long as 20 kB: it shows beside every size below

Machine star_of(int hosts) {
  Machine machine;
  machine.ranks = hosts;
  machine.nic_Bps = rate_Bps;
  machine.net_latency_s = latency_s;
  return machine;
}

double full_ring_s(int ranks, int floats_per_chunk) {
  const double chunk_bytes = floats_per_chunk * float_bytes + envelope_bytes;
  return executor_of(Fidelity::full)
      .all_reduces(star_of(ranks), {ranks * chunk_bytes}, ddlsim::Algorithm::ring)
      .times_s.front();
}

double full_servers_s(int workers, int servers, const std::vector<int>& floats) {
  ddlsim::ServerMachine server_machine;
  server_machine.servers = servers;
  ddlsim::ServerExchange exchange;
  for (std::size_t tensor = 0; tensor < floats.size(); ++tensor) {
    const double size_bytes = floats[tensor] * float_bytes + envelope_bytes;
    exchange.shards.push_back({static_cast<int>(tensor), static_cast<int>(tensor) % servers, size_bytes});
    exchange.ready_s.push_back(0);
  }
  return executor_of(Fidelity::full).server_exchange(star_of(workers), server_machine, exchange).end_s;
}

std::string server_program(int servers, const std::vector<int>& floats) {
  std::string text = "parameter_server " + std::to_string(servers);
  for (const int tensor : floats) text += " " + std::to_string(tensor);
  return text;
}

} // namespace

TEST_CASE("a ring all-reduce in plain MPI takes as long as ours", "[smpi]") {
  const int ranks = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int floats_per_chunk = GENERATE(5, 20000); // all latency; mostly bytes
  INFO(ranks << " ranks, chunks of " << floats_per_chunk << " floats");
  const double mpi_s = simulated_s({ranks, rate_Bps, latency_s, 0}, "ring " + std::to_string(floats_per_chunk));
  CHECK(mpi_s == Approx(full_ring_s(ranks, floats_per_chunk)).epsilon(rounding));
}

TEST_CASE("a parameter server in plain MPI takes as long as ours, one tensor a server", "[smpi]") {
  const int workers = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int servers = GENERATE(1, 4);
  INFO(workers << " workers, " << servers << " servers");
  const std::vector<int> all_floats = {2500, 12500, 700, 5}; // unequal: servers end at different times
  const std::vector<int> floats(all_floats.begin(), all_floats.begin() + servers);
  const SmpiStar star{workers + servers, rate_Bps, latency_s, 0};
  CHECK(simulated_s(star, server_program(servers, floats)) ==
        Approx(full_servers_s(workers, servers, floats)).epsilon(rounding));
}

TEST_CASE("a parameter server in plain MPI takes as long as ours, tensors queue behind each other", "[smpi]") {
  const int workers = GENERATE(2, 3, 4, 8, 16, 31, 64);
  const int servers = GENERATE(1, 4);
  INFO(workers << " workers, " << servers << " servers");
  const std::vector<int> floats = {2500, 700, 5, 5000, 300, 5, 9000, 1200, 3000, 40};
  const SmpiStar star{workers + servers, rate_Bps, 0, latency_s}; // a latency that does not occupy the link
  CHECK(simulated_s(star, server_program(servers, floats)) ==
        Approx(full_servers_s(workers, servers, floats)).epsilon(rounding));
}

TEST_CASE("an MPI program that fails is an error, not a time", "[smpi]") {
  CHECK_THROWS_AS(simulated_s({2, rate_Bps, latency_s, 0}, "no-such-program"), std::runtime_error);
}
