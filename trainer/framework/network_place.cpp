#include "trainer/framework/network_place.hpp"

#include "sim/base/error.hpp"
#include "trainer/run_error.hpp"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <net/if.h>
#include <netinet/in.h>
#include <nlohmann/json.hpp>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <ifaddrs.h>
#include <sstream>

namespace ddltrain {
namespace {

struct Interface {
  std::string name;
  std::string address;
  bool loop = false;
};

std::vector<Interface> interfaces_up() {
  ifaddrs* first = nullptr;
  if (::getifaddrs(&first) != 0) throw RunError(std::string("getifaddrs failed: ") + std::strerror(errno));
  std::vector<Interface> found;
  for (const ifaddrs* one = first; one != nullptr; one = one->ifa_next) {
    if (one->ifa_addr == nullptr || one->ifa_addr->sa_family != AF_INET || (one->ifa_flags & IFF_UP) == 0) continue;
    sockaddr_in address{};
    std::memcpy(&address, one->ifa_addr, sizeof address);
    std::array<char, INET_ADDRSTRLEN> text{};
    ::inet_ntop(AF_INET, &address.sin_addr, text.data(), text.size());
    found.push_back({one->ifa_name, text.data(), (one->ifa_flags & IFF_LOOPBACK) != 0});
  }
  ::freeifaddrs(first);
  return found;
}

constexpr const char* loop_address = "127.0.0.1";
constexpr const char* loopback_interface = "lo";

} // namespace

NetworkPlace place_here(const std::string& host, const std::string& interface) {
  std::string names;
  for (const Interface& one : interfaces_up()) {
    if (interface.empty() ? !one.loop : one.name == interface) return {host, one.address, one.name, {}};
    names += (names.empty() ? "" : ", ") + one.name;
  }
  if (!interface.empty()) {
    throw ddlsim::UserError(
        "", "", fmt::format("--interface {} has no IPv4 address on {}; there are {}", interface, host, names));
  }
  return {host, loop_address, loopback_interface, {}};
}

std::string to_text(const NetworkPlace& place) {
  std::string text = place.host + " " + place.address + " " + place.interface;
  for (const int port : place.ports) text += " " + std::to_string(port);
  return text;
}

NetworkPlace network_place(const std::string& text) {
  std::istringstream words(text);
  NetworkPlace place;
  words >> place.host >> place.address >> place.interface;
  for (int port = 0; words >> port;) place.ports.push_back(port);
  return place;
}

void use_loopback_on_one_host(std::vector<NetworkPlace>& places) {
  const bool together = std::all_of(places.begin(), places.end(),
                                    [&](const NetworkPlace& place) { return place.host == places.front().host; });
  if (!together) return;
  for (NetworkPlace& place : places) {
    place.address = loop_address;
    place.interface = loopback_interface;
  }
}

InterfaceBytes bytes_through(const std::string& interface) {
  if (interface == loopback_interface) return {};
  // has lines of this network namespace like "  eth0: 1234 5 0 0 0 0 0 0 5678 9 ..."
  std::ifstream file("/proc/self/net/dev");
  for (std::string line; std::getline(file, line);) {
    const std::size_t first = line.find_first_not_of(' ');
    if (first == std::string::npos || line.compare(first, interface.size() + 1, interface + ":") != 0) continue;
    std::istringstream numbers(line.substr(first + interface.size() + 1));
    InterfaceBytes bytes;
    double between = 0;
    numbers >> bytes.received;
    constexpr int other_received = 7; // fields packets, errs, drop, fifo, frame, compressed, multicast
    for (int i = 0; i < other_received; ++i) numbers >> between;
    numbers >> bytes.sent;
    return bytes;
  }
  return {};
}

std::string job_description(const std::vector<NetworkPlace>& places, int rank) {
  nlohmann::ordered_json job = {{"rank", rank}};
  for (const NetworkPlace& place : places) {
    job["addresses"].push_back(place.address);
    job["ports"].push_back(place.ports);
    job["hosts"].push_back(place.host);
  }
  job["interface"] = places.at(static_cast<std::size_t>(rank)).interface;
  return job.dump();
}

} // namespace ddltrain
