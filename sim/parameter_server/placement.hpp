#pragma once
// Which server holds each tensor, by the rule of the framework's code.

#include "sim/formats/names.hpp"

#include <cstdint>
#include <vector>

namespace ddlsim {

/// One message of a tensor: all of it, or its part on one server.
struct Shard {
  int tensor = 0; ///< index of the tensor in the given order
  int server = 0;
  double size_bytes = 0;

  bool operator==(const Shard&) const = default;
};

/// Places tensors on servers. The rules, with P servers and tensors i = 0, 1, ... in creation order:
///   round-robin  server i mod P (TensorFlow replica_device_setter's default, tf_cnn_benchmarks distributed_replicated)
///   bytes        the server with the fewest bytes so far, the first of equals (tf_cnn_benchmarks parameter_server)
///   split        tensors of at least `split_bytes` in P equal parts, one a server; others whole on server 9973 i mod P
///                (MXNet kvstore_dist; its parts are whole elements, ours are exact P-ths)
///   pieces       parts of `split_bytes` (0: 4,096,000), the last one short, each on the server with the fewest bytes
///                so far: the even spread that cutting tensors aims at, where the hash that places parts is unknown
///   hash         parts of 4,096,000 bytes, the last one short; part j on server
///                djb2(text of the number 65536 k + j) mod P (BytePS, Hash_DJB2 in byteps/common/global.cc); k is the
///                number that the run gave the tensor: i where `key_order` is 0, else its place in a random order drawn
///                by `key_order`
/// No byte is lost: the sizes of a tensor's shards sum to the tensor's size. `split_bytes` is read by split and pieces
/// only. Throws UserError on an unknown rule or fewer than one server.
std::vector<Shard> place_tensors(const std::vector<double>& tensor_bytes, int servers, Sharding rule,
                                 double split_bytes, std::uint64_t key_order = 0);

/// Returns a typical seed for the tensors' order. It is not known which tensor a run numbers first (BytePS: the order
/// in which they are declared), and a hash spreads tensors differently for each order. Of nine random orders the
/// typical one has the median load of the busiest server.
std::uint64_t typical_key_order(const std::vector<double>& tensor_bytes, int servers);

} // namespace ddlsim
