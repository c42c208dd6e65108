#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace ddltrain {

/// One message of a tensor: all of it, or the part that one server holds.
struct Shard {
  std::size_t tensor = 0; ///< in the order created
  int server = 0;
  std::size_t first = 0; ///< element of the tensor
  std::size_t count = 0; ///< never 0
};

/// The rules of the frameworks, for tensors i = 0, 1, ... in the order created and P servers (scenarios/presets.json
/// says which framework has which):
///   round-robin  server i mod P
///   bytes        the server with the fewest bytes so far, the first of equals
///   split        tensors of 4,000,000 bytes or more in P parts that differ by one element at most, one a server;
///   smaller
///                ones whole on server 9973 i mod P (MXNet kvstore_dist)
///   hash         parts of 4,096,000 bytes, the last one short; part j on server djb2(text of 65536 i + j) mod P
///   (BytePS)
/// counts: elements of each tensor, none 0. Throws UsageError on an unknown rule or fewer than one server.
std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule);

} // namespace ddltrain
