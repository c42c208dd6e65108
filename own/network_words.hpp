#pragma once
// Reads a node's network from words such as "8x400 Gbps ib", "8xNDR", "2x100 Gb/s InfiniBand" or "4x200G RoCE".

#include <string>
#include <vector>

namespace ddlsim {

/// The ports of one kind in a node.
struct NodeNetwork {
  std::string kind; ///< kind of the network, one of network_kinds()
  int ports = 1;
  std::string rate; ///< rate of one port in the form of cluster files, "400 Gbps"
};

/// Returns the kinds of a network: ib, roce, efa, ethernet.
const std::vector<std::string>& network_kinds();

/// Returns the network that the words describe. Assumptions are added to `notes`. Rates may have InfiniBand's names
/// (FDR to XDR). A number alone, or with a G, is in Gb/s, in which ports are sold. Without a kind, ports of 100 Gb/s
/// and more are taken as InfiniBand. Throws UserError if there is no rate, an unknown kind, or a unit that may mean
/// bits or bytes.
NodeNetwork network_in(const std::string& text, std::vector<std::string>& notes);

} // namespace ddlsim
