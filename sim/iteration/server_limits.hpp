#pragma once
// Limits of an iteration with parameter servers: the least time that it takes, found without placing or sending a
// shard, and the tensor that alone decides the time, where there is one.

#include "sim/compute/layer_times.hpp"
#include "sim/iteration/step.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// The best result that a rule of placement can have.
struct ShardBound {
  double shards = 0;               ///< number of shards of all tensors
  double busiest_server_bytes = 0; ///< bytes of an even share, or of the largest shard where that is larger
};
ShardBound bound_of_shards(const BackwardShape& shape, Sharding rule, double split_bytes, int servers);

/// A lower bound of time_step().iteration_s, seconds; 0 for asynchronous servers. It is the sum of all parts but
/// exposed communication, where compute counts as at least the time until the first gradient plus the longer of
///   the time in which the busiest server receives all copies of its shards, by the links that time the exchange
///   the time in which the NICs of all worker nodes carry the bytes that pass them
double least_server_iteration_s(const StepSetup& setup, const Parameters& sample, const BackwardShape& shape);

/// The tensor that alone decides how long parameter servers take.
struct UnsplitTensor {
  std::string name;
  double size_bytes = 0;              ///< bytes on the wire
  double share_of_busiest_server = 0; ///< share of the busiest server's bytes that are this tensor's
};

/// Returns the tensor that alone decides the time: the busiest of several servers has more than an even share, and at
/// least half of its bytes are one uncut tensor. More servers do not help then, and cutting the tensor would.
std::optional<UnsplitTensor> find_unsplit_tensor(const StepSetup& setup, const Parameters& sample);

} // namespace ddlsim
