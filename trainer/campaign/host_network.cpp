#include "trainer/campaign/host_network.hpp"

#include "trainer/run_error.hpp"

#include <cmath>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ddltrain {
namespace {

constexpr double fine_packets_below_Bps = 300e6 / 8;
constexpr std::int64_t fine_packet_bytes = 16384;
constexpr std::int64_t coarse_packet_bytes = 65536;
/// Share of a packet that is reserved for headers, 1/16. The kernel charges a large packet with the headers of all its
/// frames: 66 bytes for each 1448, which is 1/22.
constexpr std::int64_t headers_share = 16;
constexpr std::int64_t burst_beyond_packet_bytes = 1024;
constexpr const char* congestion_control = "cubic"; ///< the algorithm that nearly every Linux cluster uses
constexpr const char* allowed_controls_file = "/proc/sys/net/ipv4/tcp_allowed_congestion_control";

void run_words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  run_and_read(words);
}

std::string tbf(const LinkShape& shape) {
  return "root tbf rate " + std::to_string(std::llround(shape.rate_Bps * 8)) + "bit burst " +
         std::to_string(shape.burst_bytes) + " limit " + std::to_string(shape.queue_bytes);
}

/// Allows the algorithm. A namespace may use only algorithms that the machine allows to all; this adds one to the list
/// and changes nothing else.
void allow_congestion_control() {
  std::ifstream file(allowed_controls_file);
  std::string allowed;
  std::getline(file, allowed);
  if (allowed.find(congestion_control) == std::string::npos) {
    std::ofstream(allowed_controls_file) << allowed << ' ' << congestion_control << '\n';
  }
}

} // namespace

LinkShape complete(LinkShape shape) {
  if (shape.largest_packet_bytes == 0) {
    shape.largest_packet_bytes = shape.rate_Bps < fine_packets_below_Bps ? fine_packet_bytes : coarse_packet_bytes;
  }
  if (shape.burst_bytes == 0) {
    shape.burst_bytes =
        shape.largest_packet_bytes + shape.largest_packet_bytes / headers_share + burst_beyond_packet_bytes;
  }
  return shape;
}

std::string no_network_because() {
  const std::string name = own_name_prefix() + "try";
  try {
    run_words("ip netns add " + name);
    run_words("tc -n " + name + " qdisc add dev lo root tbf rate 1mbit burst 10k limit 10k");
    remove_namespace(name);
    return "";
  } catch (const RunError& error) {
    remove_namespace(name);
    return error.what();
  }
}

HostNetwork::HostNetwork(std::int64_t hosts, const LinkShape& shape, const SignalWatch& signals)
    : hosts_(hosts), prefix_(own_name_prefix()) {
  remove_leftovers();
  allow_congestion_control();
  try {
    std::filesystem::create_directories(folder());
    add_switch();
    for (std::int64_t host = 0; host < hosts; ++host) {
      signals.check();
      add_host(host, complete(shape));
    }
  } catch (...) {
    remove();
    throw;
  }
}

HostNetwork::~HostNetwork() {
  remove();
}

void HostNetwork::remove() const {
  for (const std::string& name : namespaces_named(prefix_)) {
    try {
      remove_namespace(name);
    } catch (const RunError&) { // the next start removes this folder
    }
  }
  std::error_code error;
  std::filesystem::remove_all(folder(), error);
}

std::string HostNetwork::folder() const {
  return temporary_root() + "/" + prefix_ + "files";
}

void HostNetwork::add_switch() const {
  const std::string name = prefix_ + "switch";
  run_words("ip netns add " + name);
  run_words("ip -n " + name + " link set lo up");
  run_words("ip -n " + name + " link add bridge type bridge stp_state 0 mcast_snooping 0");
  run_words("ip -n " + name + " link set bridge up");
}

void HostNetwork::add_host(std::int64_t host, const LinkShape& shape) const {
  const std::string number = std::to_string(host);
  const std::string name = prefix_ + "h" + number;
  const std::string hub = prefix_ + "switch";
  const std::string port = "port" + number;
  run_words("ip netns add " + name);
  run_words("ip -n " + name + " link set lo up");
  run_words("ip link add eth0 netns " + name + " mtu 1500 type veth peer name " + port + " netns " + hub + " mtu 1500");
  run_words("ip -n " + name + " link set eth0 gso_max_size " + std::to_string(shape.largest_packet_bytes));
  run_words("ip -n " + name + " addr add 10.77." + std::to_string((host + 1) / 256) + "." +
            std::to_string((host + 1) % 256) + "/16 dev eth0");
  run_words("ip -n " + name + " link set eth0 up");
  run_words("ip -n " + hub + " link set " + port + " master bridge up");
  run_words("tc -n " + name + " qdisc add dev eth0 " + tbf(shape));
  run_words("tc -n " + hub + " qdisc add dev " + port + " " + tbf(shape));
  // Files of sysctl show the namespace of the process that opens them. Remembered metrics of earlier connections would
  // make runs depend on each other.
  run_and_read({"ip", "netns", "exec", name, "/bin/sh", "-c",
                std::string("cd /proc/sys/net/ipv4 && echo ") + congestion_control +
                    " >tcp_congestion_control && echo 1 >tcp_no_metrics_save"});
}

int remove_leftovers() {
  int removed = 0;
  for (const std::string& name : namespaces_named("ddltrain-")) {
    if (is_left_over(name)) {
      remove_namespace(name);
      ++removed;
    }
  }
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(temporary_root(), error)) {
    if (is_left_over(entry.path().filename())) {
      std::filesystem::remove_all(entry.path(), error);
    }
  }
  return removed;
}

} // namespace ddltrain
