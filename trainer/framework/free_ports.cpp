#include "trainer/framework/free_ports.hpp"

#include "trainer/run_error.hpp"

#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <random>
#include <string>
#include <unistd.h>

namespace ddltrain {
namespace {

struct PortRange {
  int first = 0;
  int last = 0;
};

constexpr PortRange any_port{10000, 65535}; ///< most services with a port of their own are below

/// Returns the ports that the kernel gives to no outgoing connection, because a port of that range can be taken before
/// its user binds it.
PortRange ports_of_nobody() {
  PortRange outgoing{32768, 60999}; // the default of Linux (Documentation/networking/ip-sysctl)
  std::ifstream file("/proc/sys/net/ipv4/ip_local_port_range");
  file >> outgoing.first >> outgoing.last;
  const PortRange below{any_port.first, outgoing.first - 1};
  const PortRange above{outgoing.last + 1, any_port.last};
  const PortRange wider = below.last - below.first > above.last - above.first ? below : above;
  return wider.last > wider.first ? wider : any_port;
}

bool binds(int descriptor, int port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<std::uint16_t>(port));
  return ::bind(descriptor, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0; // NOLINT: the call's type
}

int bound_port(int descriptor, std::random_device& random) {
  const PortRange range = ports_of_nobody();
  std::uniform_int_distribution<int> draw(range.first, range.last);
  constexpr int most_tries = 1000; // enough, because a few dozen of some 20,000 ports are taken
  for (int i = 0; i < most_tries; ++i) {
    const int port = draw(random);
    if (binds(descriptor, port)) return port;
  }
  throw RunError(std::string("no free TCP port: ") + std::strerror(errno));
}

} // namespace

std::vector<int> free_ports(int count) {
  std::random_device random;
  std::vector<int> descriptors;
  std::vector<int> ports;
  for (int i = 0; i < count; ++i) { // all are held until the last is found, so that they differ
    descriptors.push_back(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
    ports.push_back(bound_port(descriptors.back(), random));
  }
  for (const int descriptor : descriptors) ::close(descriptor);
  return ports;
}

} // namespace ddltrain
