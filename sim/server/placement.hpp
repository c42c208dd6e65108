#pragma once
// Which server holds which tensor, by the rule of the framework's code.

#include <string>
#include <vector>

namespace ddlsim {

/// One message of a tensor: all of it, or its part on one server.
struct Shard {
  int tensor = 0;           ///< index in the order given
  int server = 0;
  double size_bytes = 0;
};

/// Rules: round-robin (i mod P in creation order: TensorFlow replica_device_setter default, distributed_replicated),
/// bytes (greedy: the least loaded server takes the next tensor: tf_cnn_benchmarks parameter_server),
/// split (tensors of at least split_bytes cut over all P, others on server 9973 i mod P: MXNet kvstore_dist),
/// hash (djb2 of "tensor_<i>_<part>" over 4,096,000-byte partitions: BytePS). No byte is lost: the shards of a tensor sum to it.
/// Throws UserError on an unknown rule; servers must be 1 or more.
std::vector<Shard> place_tensors(const std::vector<double>& tensor_bytes, int servers, const std::string& rule, double split_bytes);

/// Bytes on each server.
std::vector<double> server_loads(const std::vector<Shard>& shards, int servers);

} // namespace ddlsim
