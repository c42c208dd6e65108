#pragma once
// A node's network in words: "8x400 Gbps ib", "8xNDR", "2x100 Gb/s InfiniBand", "4x200G RoCE".

#include <string>
#include <vector>

namespace ddlsim {

/// Ports of one kind in a node.
struct NodeNetwork {
  std::string kind; ///< of network_kinds()
  int ports = 1;
  std::string rate; ///< of one port, as cluster files have it: "400 Gbps"
};

/// The kinds of a network: ib, roce, efa, ethernet.
const std::vector<std::string>& network_kinds();

/// The network that the words describe, and in `notes` what they left open. Rates may have InfiniBand's names (FDR to
/// XDR); a number alone, or with a G, is in Gb/s, as ports are sold. Without a kind, ports of 100 Gb/s and more are
/// InfiniBand's. Throws UserError: no rate, a kind of none, a unit that may be bits or bytes.
NodeNetwork network_in(const std::string& text, std::vector<std::string>& notes);

} // namespace ddlsim
