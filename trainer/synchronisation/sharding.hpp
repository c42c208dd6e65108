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

/// By the simulator's rules (ddlsim::place_tensors): round-robin, bytes, split at MXNet's bound, pieces, hash. Parts are
/// whole elements where the simulator has exact P-ths.
/// counts: elements of each tensor in the order created, none 0. Throws ddlsim::UserError on an unknown rule or fewer
/// than one server.
std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule);

} // namespace ddltrain
