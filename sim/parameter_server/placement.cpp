#include "sim/parameter_server/placement.hpp"

#include "sim/base/error.hpp"
#include "sim/base/statistics.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <random>
#include <utility>

namespace ddlsim {
namespace {

/// Factor that spreads the keys of tensors that are not split (MXNet src/kvstore/kvstore_dist.h, EncodeDefaultKey).
constexpr std::int64_t mxnet_key_factor = 9973;

/// Default of BYTEPS_PARTITION_BYTES (BytePS docs/env.md).
constexpr double byteps_partition_bytes = 4096000;

/// Number of keys that BytePS gives each tensor, one for each part (byteps/common/operations.cc).
constexpr std::uint64_t byteps_keys_per_tensor = 65536;

/// D. J. Bernstein's string hash: h begins at 5381, and each character makes it 33 h + character.
std::uint64_t djb2(const std::string& text) {
  std::uint64_t hash = 5381;
  for (const char character : text) {
    hash = hash * 33 + static_cast<std::uint64_t>(character);
  }
  return hash;
}

/// Assigns the tensors one by one, and keeps count of the bytes on each server.
class ShardPlacer {
public:
  explicit ShardPlacer(int servers) : loads_bytes(static_cast<std::size_t>(servers), 0.0) {}

  std::int64_t servers() const { return static_cast<std::int64_t>(loads_bytes.size()); }

  void add(std::int64_t tensor, std::int64_t server, double size_bytes) {
    shards.push_back({static_cast<int>(tensor), static_cast<int>(server), size_bytes});
    loads_bytes[static_cast<std::size_t>(server)] += size_bytes;
  }

  /// Returns the first of the servers that have the fewest bytes. Where there are more servers than tensors some stay
  /// empty, and scanning all loads for each tensor would take most of a prediction.
  std::int64_t emptiest() {
    while (first_empty_ < loads_bytes.size() && loads_bytes[first_empty_] > 0) ++first_empty_;
    if (first_empty_ < loads_bytes.size()) return static_cast<std::int64_t>(first_empty_);
    return std::min_element(loads_bytes.begin(), loads_bytes.end()) - loads_bytes.begin();
  }

  std::vector<Shard> shards;
  std::vector<double> loads_bytes;

private:
  std::size_t first_empty_ = 0; ///< all servers before it have bytes
};

void place_round_robin(ShardPlacer& placer, std::int64_t tensor, double size_bytes) {
  placer.add(tensor, tensor % placer.servers(), size_bytes);
}

void place_by_bytes(ShardPlacer& placer, std::int64_t tensor, double size_bytes) {
  placer.add(tensor, placer.emptiest(), size_bytes);
}

void place_split(ShardPlacer& placer, std::int64_t tensor, double size_bytes, double split_bytes) {
  const std::int64_t servers = placer.servers();
  if (size_bytes < split_bytes) {
    placer.add(tensor, tensor * mxnet_key_factor % servers, size_bytes);
    return;
  }
  for (std::int64_t server = 0; server < servers; ++server) {
    placer.add(tensor, server, size_bytes / static_cast<double>(servers));
  }
}

void place_pieces(ShardPlacer& placer, std::int64_t tensor, double size_bytes, double most_bytes) {
  for (double left_bytes = size_bytes; left_bytes > 0; left_bytes -= most_bytes) {
    place_by_bytes(placer, tensor, std::min(left_bytes, most_bytes));
  }
}

/// Returns the number that a run gives each tensor.
std::vector<int> tensor_numbers(std::size_t tensors, std::uint64_t key_order) {
  std::mt19937_64 random(key_order);
  if (key_order != 0) return random_order(static_cast<int>(tensors), random);
  std::vector<int> as_created(tensors);
  std::iota(as_created.begin(), as_created.end(), 0);
  return as_created;
}

void place_hash(ShardPlacer& placer, std::int64_t tensor, std::int64_t number, double size_bytes) {
  const std::uint64_t first_key = static_cast<std::uint64_t>(number) * byteps_keys_per_tensor;
  double left_bytes = size_bytes;
  std::uint64_t part = 0;
  do {
    const double part_bytes = std::min(left_bytes, byteps_partition_bytes);
    const std::uint64_t server = djb2(std::to_string(first_key + part)) % static_cast<std::uint64_t>(placer.servers());
    placer.add(tensor, static_cast<std::int64_t>(server), part_bytes);
    left_bytes -= part_bytes;
    ++part;
  } while (left_bytes > 0);
}

void place(ShardPlacer& placer, std::int64_t tensor, std::int64_t number, double size_bytes, Sharding rule,
           double split_bytes) {
  switch (rule) {
  case Sharding::round_robin:
    return place_round_robin(placer, tensor, size_bytes);
  case Sharding::bytes:
    return place_by_bytes(placer, tensor, size_bytes);
  case Sharding::split:
    return place_split(placer, tensor, size_bytes, split_bytes);
  case Sharding::pieces:
    return place_pieces(placer, tensor, size_bytes, split_bytes > 0 ? split_bytes : byteps_partition_bytes);
  case Sharding::hash:
    return place_hash(placer, tensor, number, size_bytes);
  case Sharding::unknown:
    throw std::logic_error("tensors are placed by a rule that nobody knows");
  }
}

ShardPlacer place_all(const std::vector<double>& tensor_bytes, int servers, Sharding rule, double split_bytes,
                      std::uint64_t key_order) {
  ShardPlacer placer(servers);
  const auto numbers = tensor_numbers(tensor_bytes.size(), key_order);
  for (std::size_t tensor = 0; tensor < tensor_bytes.size(); ++tensor)
    place(placer, static_cast<std::int64_t>(tensor), numbers[tensor], tensor_bytes[tensor], rule, split_bytes);
  return placer;
}

} // namespace

std::vector<Shard> place_tensors(const std::vector<double>& tensor_bytes, int servers, Sharding rule,
                                 double split_bytes, std::uint64_t key_order) {
  if (servers < 1) {
    throw UserError("", "", std::to_string(servers) + " parameter servers found, expected 1 or more");
  }
  return place_all(tensor_bytes, servers, rule, split_bytes, key_order).shards;
}

std::uint64_t typical_key_order(const std::vector<double>& tensor_bytes, int servers) {
  constexpr std::uint64_t orders = 9;
  std::vector<std::pair<double, std::uint64_t>> busiest_bytes;
  for (std::uint64_t order = 1; order <= orders; ++order) {
    const auto loads_bytes = place_all(tensor_bytes, servers, Sharding::hash, 0, order).loads_bytes;
    busiest_bytes.emplace_back(*std::max_element(loads_bytes.begin(), loads_bytes.end()), order);
  }
  std::sort(busiest_bytes.begin(), busiest_bytes.end());
  return busiest_bytes[orders / 2].second;
}

} // namespace ddlsim
