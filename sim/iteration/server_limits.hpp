#pragma once
// What limits an iteration with parameter servers: how long it takes at the least, without placing or sending a shard,
// and the one tensor that decides, where there is one.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/step.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// What a rule of placement comes to at the best.
struct ShardBound {
  double shards = 0;               ///< of all tensors
  double busiest_server_bytes = 0; ///< an even share, or the largest shard where that is more
};
ShardBound bound_of_shards(const BackwardShape& shape, Sharding rule, double split_bytes, int servers);

/// A lower bound of time_step().iteration_s, 0 for asynchronous servers: what all parts but exposed communication add
/// up to, and beside it the time from the first gradient on in which
///   the busiest server takes in all copies of its shards, by the links that time the exchange
///   the NICs of all worker nodes carry what passes them
double least_server_iteration_s(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape);

/// The one tensor that decides how long parameter servers take.
struct UnsplitTensor {
  std::string name;
  double size_bytes = 0;              ///< on the wire
  double share_of_busiest_server = 0; ///< of its bytes
};

/// Of several servers the busiest has more than an even share, and at least half of that is one tensor that lies there
/// as a whole: more servers do not help, and cutting it would.
std::optional<UnsplitTensor> find_unsplit_tensor(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
