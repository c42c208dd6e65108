#pragma once
// Finds ports on which a server can listen.

#include <vector>

namespace ddltrain {

/// Returns TCP ports of this host on which nobody listens, all different, from those that outgoing connections never
/// get. Another program may still take one before its user does.
std::vector<int> free_ports(int count);

} // namespace ddltrain
