#pragma once
// Where a rank's framework can be reached: an address, its interface, and its ports.

#include <string>
#include <vector>

namespace ddltrain {

struct NetworkPlace {
  std::string host;      ///< its name
  std::string address;   ///< IPv4
  std::string interface; ///< network interface of the address
  std::vector<int> ports;
};

/// The first IPv4 address of this host that is not its own loop, or that of `interface` ("": any). Loopback where there
/// is none. Throws ddlsim::UserError naming the interfaces there are when the one asked for has no address.
NetworkPlace place_here(const std::string& host, const std::string& interface);

/// As one line of text, and back.
std::string to_text(const NetworkPlace& place);
NetworkPlace network_place(const std::string& text);

/// Ranks that are all on one host talk over its loop: no interface need be up, and no firewall asked.
void use_loopback_on_one_host(std::vector<NetworkPlace>& places);

/// Since the interface came up, link headers included; zeros for the loop, which is no network and all ranks share.
struct InterfaceBytes {
  double received = 0;
  double sent = 0;
};
InterfaceBytes bytes_through(const std::string& interface);

/// What the scripts read: {"rank": 0, "addresses": [...], "ports": [[...]], "hosts": [...], "interface": "eth0"}.
std::string job_description(const std::vector<NetworkPlace>& places, int rank);

} // namespace ddltrain
