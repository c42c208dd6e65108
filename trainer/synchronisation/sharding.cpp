#include "trainer/synchronisation/sharding.hpp"

#include "trainer/files/error.hpp"

#include <algorithm>
#include <cstdint>

namespace ddltrain {
namespace {

constexpr std::size_t kMxnetSplitElements = 1'000'000;                 ///< MXNET_KVSTORE_BIGARRAY_BOUND
constexpr std::uint64_t kMxnetKeyFactor = 9973;                        ///< src/kvstore/kvstore_dist.h, EncodeDefaultKey
constexpr std::size_t kBytepsPartElements = 4'096'000 / sizeof(float); ///< BYTEPS_PARTITION_BYTES unset
constexpr std::uint64_t kBytepsKeysPerTensor = 65536;                  ///< byteps/common/operations.cc

using Shards = std::vector<Shard>;

/// D. J. Bernstein's string hash; byteps/common/global.cc, Hash_DJB2.
std::uint64_t djb2(const std::string& text) {
  std::uint64_t hash = 5381;
  for (const char character : text) hash = hash * 33 + static_cast<std::uint64_t>(character);
  return hash;
}

Shards round_robin(const std::vector<std::size_t>& counts, int servers) {
  Shards shards;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    shards.push_back({i, static_cast<int>(i % static_cast<std::size_t>(servers)), 0, counts[i]});
  }
  return shards;
}

Shards by_bytes(const std::vector<std::size_t>& counts, int servers) {
  Shards shards;
  std::vector<std::size_t> loads(static_cast<std::size_t>(servers));
  for (std::size_t i = 0; i < counts.size(); ++i) {
    const auto emptiest = std::min_element(loads.begin(), loads.end());
    *emptiest += counts[i];
    shards.push_back({i, static_cast<int>(emptiest - loads.begin()), 0, counts[i]});
  }
  return shards;
}

Shards split(const std::vector<std::size_t>& counts, int servers) {
  const auto parts = static_cast<std::size_t>(servers);
  Shards shards;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    if (counts[i] < kMxnetSplitElements) {
      shards.push_back({i, static_cast<int>(i * kMxnetKeyFactor % parts), 0, counts[i]});
      continue;
    }
    for (std::size_t part = 0; part < parts; ++part) {
      const std::size_t first = counts[i] * part / parts;
      const std::size_t count = counts[i] * (part + 1) / parts - first;
      if (count > 0) shards.push_back({i, static_cast<int>(part), first, count});
    }
  }
  return shards;
}

Shards hash(const std::vector<std::size_t>& counts, int servers) {
  Shards shards;
  for (std::size_t i = 0; i < counts.size(); ++i) {
    std::uint64_t key = i * kBytepsKeysPerTensor;
    for (std::size_t first = 0; first < counts[i]; first += kBytepsPartElements, ++key) {
      const auto server = static_cast<int>(djb2(std::to_string(key)) % static_cast<std::uint64_t>(servers));
      shards.push_back({i, server, first, std::min(kBytepsPartElements, counts[i] - first)});
    }
  }
  return shards;
}

} // namespace

std::vector<Shard> place_shards(const std::vector<std::size_t>& counts, int servers, const std::string& rule) {
  if (servers < 1) throw UsageError(std::to_string(servers) + " parameter servers; at least 1 is needed");
  if (rule == "round-robin") return round_robin(counts, servers);
  if (rule == "bytes") return by_bytes(counts, servers);
  if (rule == "split") return split(counts, servers);
  if (rule == "hash") return hash(counts, servers);
  throw UsageError("unknown sharding \"" + rule + "\"; there are round-robin, bytes, split and hash");
}

} // namespace ddltrain
