#pragma once
// Reads a node's network given in words: "8x400 Gbps ib", "8xNDR", "2x100 Gb/s InfiniBand", "4x200G RoCE".

#include <string>
#include <vector>

namespace ddlsim {

/// Ports of one kind in a node.
struct NodeNetwork {
  std::string kind; ///< one of network_kinds()
  int ports = 1;
  std::string rate; ///< of one port, as cluster files have it: "400 Gbps"
};

/// The kinds of a network: ib, roce, efa, ethernet.
const std::vector<std::string>& network_kinds();

/// The network that the words describe; assumptions are added to `notes`. Rates may be InfiniBand's names (FDR to XDR);
/// a number alone, or with a G, is in Gb/s, as ports are sold. Without a kind, ports of 100 Gb/s and more are taken as
/// InfiniBand. Throws UserError if there is no rate, an unknown kind, or a unit that may mean bits or bytes.
NodeNetwork network_in(const std::string& text, std::vector<std::string>& notes);

} // namespace ddlsim
