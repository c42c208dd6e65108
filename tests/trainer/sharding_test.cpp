#include "trainer/files/error.hpp"
#include "trainer/synchronisation/sharding.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <fstream>
#include <map>

using namespace ddltrain;

namespace {

/// tests/golden/placement.json holds what the simulator answers to the same questions; its own test keeps it so.
nlohmann::json expectations() {
  std::ifstream file(DDLSIM_SOURCE_DIR "/tests/golden/placement.json");
  REQUIRE(file);
  return nlohmann::json::parse(file);
}

} // namespace

TEST_CASE("Tensors go to the servers that the simulator expects") {
  const nlohmann::json file = expectations();
  const auto bytes = file["tensor_bytes"].get<std::vector<double>>();
  std::vector<std::size_t> counts;
  for (const double size : bytes) counts.push_back(static_cast<std::size_t>(size) / sizeof(float));
  REQUIRE(file["answers"].size() == 12);
  for (const auto& answer : file["answers"]) {
    const auto shards = place_shards(counts, answer["servers"].get<int>(), answer["rule"].get<std::string>());
    INFO(answer["rule"] << " on " << answer["servers"]);
    const auto& expected = answer["shards"]; // [tensor, server, bytes]
    REQUIRE(shards.size() == expected.size());
    for (std::size_t i = 0; i < shards.size(); ++i) {
      CHECK(shards[i].tensor == expected[i][0].get<std::size_t>());
      CHECK(shards[i].server == expected[i][1].get<int>());
      // The simulator cuts exact parts, the trainer whole elements: less than one apart.
      CHECK(std::abs(static_cast<double>(shards[i].count * sizeof(float)) - expected[i][2].get<double>()) < 4);
    }
  }
}

TEST_CASE("Shards cover every element once") {
  const std::vector<std::size_t> counts = {1, 7, 1'000'000, 2'048'001, 3};
  for (const std::string rule : {"round-robin", "bytes", "split", "hash"}) {
    for (const int servers : {1, 3, 8}) {
      std::map<std::size_t, std::size_t> next;
      for (const Shard& shard : place_shards(counts, servers, rule)) {
        CHECK(shard.first == next[shard.tensor]);
        CHECK(shard.count > 0);
        CHECK((shard.server >= 0 && shard.server < servers));
        next[shard.tensor] += shard.count;
      }
      for (std::size_t i = 0; i < counts.size(); ++i) CHECK(next[i] == counts[i]);
    }
  }
}

TEST_CASE("Unknown rules and no servers are refused") {
  CHECK_THROWS_AS(place_shards({1}, 1, "random"), UsageError);
  CHECK_THROWS_AS(place_shards({1}, 0, "bytes"), UsageError);
}
