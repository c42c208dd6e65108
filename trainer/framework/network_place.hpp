#pragma once
// Where a rank's framework can be reached: an address, its interface, and its ports.

#include <string>
#include <vector>

namespace ddltrain {

struct NetworkPlace {
  std::string host;      ///< name of the host
  std::string address;   ///< IPv4 address
  std::string interface; ///< network interface of the address
  std::vector<int> ports;
};

/// Returns the first IPv4 address of this host that is not its loopback, or that of `interface` ("": any); loopback
/// where there is none. Throws ddlsim::UserError with the names of the interfaces when the requested one has no
/// address.
NetworkPlace place_here(const std::string& host, const std::string& interface);

/// These convert to a line of text and back.
std::string to_text(const NetworkPlace& place);
NetworkPlace network_place(const std::string& text);

/// Lets ranks that are all on one host talk over its loopback, so that no interface needs to be up and no firewall
/// interferes.
void use_loopback_on_one_host(std::vector<NetworkPlace>& places);

/// Bytes since the interface came up, link headers included; zeros for the loopback, which is no network and which all
/// ranks share.
struct InterfaceBytes {
  double received = 0;
  double sent = 0;
};
InterfaceBytes bytes_through(const std::string& interface);

/// Returns what the scripts read: {"rank": 0, "addresses": [...], "ports": [[...]], "hosts": [...], "interface":
/// "eth0"}.
std::string job_description(const std::vector<NetworkPlace>& places, int rank);

} // namespace ddltrain
