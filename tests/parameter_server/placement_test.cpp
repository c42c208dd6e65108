#include "sim/base/error.hpp"
#include "sim/parameter_server/placement.hpp"
#include "tests/parameter_server/servers.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <numeric>
#include <random>
#include <utility>

using ddlsim::place_tensors;
using ddlsim::server_loads;
using ddlsim::Shard;

namespace {

/// tf_cnn_benchmarks' Inception v3 convolutions in creation order: kernel height, width, channels in, out. Batch norm
/// has no gamma, so each also makes one beta of `out` values. Source: models/inception_model.py of
/// tensorflow/benchmarks.
struct Convolution {
  int height = 1, width = 1, channels_in = 0, channels_out = 0;
};

void stem(std::vector<Convolution>& convolutions) {
  convolutions.insert(convolutions.end(),
                      {{3, 3, 3, 32}, {3, 3, 32, 32}, {3, 3, 32, 64}, {1, 1, 64, 80}, {3, 3, 80, 192}});
}

void block_a(std::vector<Convolution>& convolutions, int in, int pooled) {
  convolutions.insert(convolutions.end(), {{1, 1, in, 64},
                                           {1, 1, in, 48},
                                           {5, 5, 48, 64},
                                           {1, 1, in, 64},
                                           {3, 3, 64, 96},
                                           {3, 3, 96, 96},
                                           {1, 1, in, pooled}});
}

void reduce_a(std::vector<Convolution>& convolutions) {
  convolutions.insert(convolutions.end(), {{3, 3, 288, 384}, {1, 1, 288, 64}, {3, 3, 64, 96}, {3, 3, 96, 96}});
}

void block_b(std::vector<Convolution>& convolutions, int narrow) {
  convolutions.insert(convolutions.end(), {{1, 1, 768, 192},
                                           {1, 1, 768, narrow},
                                           {1, 7, narrow, narrow},
                                           {7, 1, narrow, 192},
                                           {1, 1, 768, narrow},
                                           {7, 1, narrow, narrow},
                                           {1, 7, narrow, narrow},
                                           {7, 1, narrow, narrow},
                                           {1, 7, narrow, 192},
                                           {1, 1, 768, 192}});
}

void reduce_b(std::vector<Convolution>& convolutions) {
  convolutions.insert(
      convolutions.end(),
      {{1, 1, 768, 192}, {3, 3, 192, 320}, {1, 1, 768, 192}, {1, 7, 192, 192}, {7, 1, 192, 192}, {3, 3, 192, 192}});
}

void block_c(std::vector<Convolution>& convolutions, int in) {
  convolutions.insert(convolutions.end(), {{1, 1, in, 320},
                                           {1, 1, in, 384},
                                           {1, 3, 384, 384},
                                           {3, 1, 384, 384},
                                           {1, 1, in, 448},
                                           {3, 3, 448, 384},
                                           {1, 3, 384, 384},
                                           {3, 1, 384, 384},
                                           {1, 1, in, 192}});
}

std::vector<double> inception_v3_tf_tensors() {
  std::vector<Convolution> convolutions;
  stem(convolutions);
  for (const auto& [in, pooled] : {std::pair{192, 32}, {256, 64}, {288, 64}}) {
    block_a(convolutions, in, pooled);
  }
  reduce_a(convolutions);
  for (const int narrow : {128, 160, 160, 192}) {
    block_b(convolutions, narrow);
  }
  reduce_b(convolutions);
  for (const int in : {1280, 2048}) {
    block_c(convolutions, in);
  }
  std::vector<double> tensor_bytes;
  for (const Convolution& c : convolutions) {
    tensor_bytes.push_back(4.0 * c.height * c.width * c.channels_in * c.channels_out);
    tensor_bytes.push_back(4.0 * c.channels_out);
  }
  tensor_bytes.push_back(4.0 * 2048 * 1001);
  tensor_bytes.push_back(4.0 * 1001);
  return tensor_bytes;
}

double busiest_bytes(const std::vector<double>& tensor_bytes, int servers, ddlsim::Sharding rule) {
  const auto loads = server_loads(place_tensors(tensor_bytes, servers, rule, 0), servers);
  return *std::max_element(loads.begin(), loads.end());
}

} // namespace

TEST_CASE("Inception v3 round-robin: the busiest server beats against the two variables of a convolution") {
  const std::vector<double> tensors = inception_v3_tf_tensors();
  CHECK(std::accumulate(tensors.begin(), tensors.end(), 0.0) / 1e6 == Approx(95.3).margin(0.05));
  const std::vector<std::pair<int, double>> busiest_mb = {{1, 95.3}, {2, 95.2}, {3, 32.5}, {4, 51.7},  {5, 24.5},
                                                          {6, 32.4}, {7, 18.5}, {8, 34.7}, {12, 19.2}, {16, 17.6}};
  for (const auto& [servers, expected_mb] : busiest_mb) {
    INFO(servers << " servers");
    CHECK(busiest_bytes(tensors, servers, ddlsim::Sharding::round_robin) / 1e6 == Approx(expected_mb).margin(0.051));
  }
}

TEST_CASE("Inception v3 by bytes: many servers end with the classifier alone on one") {
  const std::vector<double> tensors = inception_v3_tf_tensors();
  CHECK(busiest_bytes(tensors, 128, ddlsim::Sharding::bytes) / 1e6 == Approx(8.20).margin(0.005));
  CHECK(busiest_bytes(tensors, 2, ddlsim::Sharding::bytes) / 1e6 < 0.55 * 95.3);
}

TEST_CASE("each rule on a list one can follow by hand") {
  const std::vector<double> tensors = {10, 40, 20, 30};
  CHECK(server_loads(place_tensors(tensors, 3, ddlsim::Sharding::round_robin, 0), 3) ==
        std::vector<double>{40, 40, 20});
  CHECK(server_loads(place_tensors(tensors, 3, ddlsim::Sharding::bytes, 0), 3) == std::vector<double>{40, 40, 20});
  // 9973 = 1 (mod 3): tensors 0, 2 on servers 0, 2; tensors 1, 3 in thirds.
  const auto split = server_loads(place_tensors(tensors, 3, ddlsim::Sharding::split, 30), 3);
  CHECK(split[0] == Approx(10 + 40.0 / 3 + 10));
  CHECK(split[1] == Approx(40.0 / 3 + 10));
  CHECK(split[2] == Approx(20 + 40.0 / 3 + 10));
}

TEST_CASE("pieces: parts of the given size on the emptiest server, and no two servers differ by more than one") {
  const auto shards = place_tensors({10, 70, 25}, 2, ddlsim::Sharding::pieces, 20);
  const std::vector<double> sizes{10, 20, 20, 20, 10, 20, 5};
  const std::vector<int> servers{0, 1, 0, 1, 0, 0, 1};
  REQUIRE(shards.size() == sizes.size());
  for (std::size_t i = 0; i < shards.size(); ++i) {
    CHECK(shards[i].size_bytes == sizes[i]);
    CHECK(shards[i].server == servers[i]);
  }
  const auto loads = server_loads(place_tensors(std::vector<double>(100, 1e7), 8, ddlsim::Sharding::pieces, 4e6), 8);
  CHECK(*std::max_element(loads.begin(), loads.end()) - *std::min_element(loads.begin(), loads.end()) <= 4e6);
  CHECK(place_tensors({8192000}, 3, ddlsim::Sharding::pieces, 0).size() == 2); // BytePS's own size where none is given
}

TEST_CASE("hash: 4,096,000-byte parts on djb2 of the key's decimal text") {
  const std::vector<Shard> shards = place_tensors({100, 5e6}, 7, ddlsim::Sharding::hash, 0);
  REQUIRE(shards.size() == 3);
  CHECK(shards[0].server == (5381 * 33 + '0') % 7); // key 0
  // Key 65536 is the first part of tensor 1, 65537 its second: texts that differ in the last character by one.
  CHECK(shards[2].server == (shards[1].server + 1) % 7);
  CHECK(shards[1].size_bytes == 4096000);
  CHECK(shards[2].size_bytes == 904000);
}

TEST_CASE("hash: a run that numbers tensors in another order loads servers differently, and the typical one is in the "
          "middle") {
  std::vector<double> tensors;
  for (int i = 0; i < 60; ++i) tensors.push_back(i % 3 == 0 ? 9e6 : 1e4);
  const auto busiest = [&](std::uint64_t order) {
    const auto loads = server_loads(place_tensors(tensors, 8, ddlsim::Sharding::hash, 0, order), 8);
    return *std::max_element(loads.begin(), loads.end());
  };
  const double typical = busiest(ddlsim::typical_key_order(tensors, 8));
  int below = 0, above = 0;
  for (std::uint64_t order = 1; order <= 9; ++order) {
    below += busiest(order) <= typical ? 1 : 0;
    above += busiest(order) >= typical ? 1 : 0;
  }
  CHECK(below >= 5);
  CHECK(above >= 5);
  CHECK(busiest(1) != busiest(2));
  CHECK(busiest(7) == busiest(7));
  CHECK(ddlsim::typical_key_order(tensors, 1) == 5); // all are equal: the one in the middle
}

TEST_CASE("no byte is lost by any rule") {
  std::mt19937_64 random(7);
  for (int round = 0; round < 100; ++round) {
    std::vector<double> tensors(1 + random() % 80);
    for (double& bytes : tensors) {
      bytes = 4.0 * static_cast<double>(1 + random() % 30000000);
    }
    const int servers = 1 + static_cast<int>(random() % 64);
    for (const ddlsim::Sharding rule : {ddlsim::Sharding::round_robin, ddlsim::Sharding::bytes, ddlsim::Sharding::split,
                                        ddlsim::Sharding::pieces, ddlsim::Sharding::hash}) {
      std::vector<double> sums(tensors.size(), 0.0);
      for (const Shard& shard : place_tensors(tensors, servers, rule, 4e6, random() % 2)) {
        REQUIRE((shard.server >= 0 && shard.server < servers));
        sums[static_cast<std::size_t>(shard.tensor)] += shard.size_bytes;
      }
      for (std::size_t i = 0; i < tensors.size(); ++i) {
        REQUIRE(sums[i] == Approx(tensors[i]).epsilon(1e-14));
      }
    }
  }
}

TEST_CASE("no servers are the user's mistake, a rule left open the program's") {
  CHECK_THROWS_AS(place_tensors({1}, 1, ddlsim::Sharding::unknown, 0), std::logic_error);
  CHECK_THROWS_AS(place_tensors({1}, 0, ddlsim::Sharding::bytes, 0), ddlsim::UserError);
}

// tests/golden/placement.json holds the placements that the trainer, which shares no code with the simulator, must
// reach too. DDLSIM_REFRESH_GOLDEN=1 writes its answers anew.

namespace {

const std::string file_name = DDLSIM_SOURCE_DIR "/tests/golden/placement.json";

/// MXNet's bound, as in scenarios/presets.json.
constexpr double split_bytes = 4e6;

nlohmann::ordered_json answer(const std::vector<double>& tensor_bytes, ddlsim::Sharding rule, int servers) {
  nlohmann::ordered_json shards = nlohmann::ordered_json::array();
  for (const auto& shard : ddlsim::place_tensors(tensor_bytes, servers, rule, split_bytes)) {
    shards.push_back({shard.tensor, shard.server, shard.size_bytes});
  }
  return {{"rule", to_text(rule)}, {"servers", servers}, {"shards", shards}};
}

} // namespace

TEST_CASE("Placements are those the trainer is held to", "[golden]") {
  nlohmann::ordered_json file;
  std::ifstream(file_name) >> file;
  const auto tensor_bytes = file.at("tensor_bytes").get<std::vector<double>>();
  std::vector<nlohmann::ordered_json> answers;
  for (const ddlsim::Sharding rule :
       {ddlsim::Sharding::round_robin, ddlsim::Sharding::bytes, ddlsim::Sharding::split, ddlsim::Sharding::hash}) {
    for (const int servers : {2, 3, 7}) answers.push_back(answer(tensor_bytes, rule, servers));
  }
  if (std::getenv("DDLSIM_REFRESH_GOLDEN") != nullptr) {
    std::ofstream out(file_name);
    out << "{\"tensor_bytes\": " << file.at("tensor_bytes").dump() << ",\n \"answers\": [\n";
    for (std::size_t i = 0; i < answers.size(); ++i) {
      out << "  " << answers[i].dump() << (i + 1 < answers.size() ? ",\n" : "\n ]}\n");
    }
    return;
  }
  REQUIRE(file.at("answers").size() == answers.size());
  for (std::size_t i = 0; i < answers.size(); ++i) CHECK(file["answers"][i] == answers[i]);
}
