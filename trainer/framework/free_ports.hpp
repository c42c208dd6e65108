#pragma once
// Ports that a server can be told to listen on.

#include <vector>

namespace ddltrain {

/// TCP ports of this host that nobody listens on, all different, drawn from those that outgoing connections never get.
/// Another program may still listen on one before its user does.
std::vector<int> free_ports(int count);

} // namespace ddltrain
