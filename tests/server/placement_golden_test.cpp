// tests/golden/placement.json holds the placements that the trainer, which shares no code with the simulator, must
// reach too. DDLSIM_REFRESH_GOLDEN=1 writes its answers anew.
#include "sim/server/placement.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <fstream>

namespace {

const std::string file_name = DDLSIM_SOURCE_DIR "/tests/golden/placement.json";

/// MXNet's bound, as in scenarios/presets.json.
constexpr double split_bytes = 4e6;

nlohmann::ordered_json answer(const std::vector<double>& tensor_bytes, const std::string& rule, int servers) {
  nlohmann::ordered_json shards = nlohmann::ordered_json::array();
  for (const auto& shard : ddlsim::place_tensors(tensor_bytes, servers, rule, split_bytes)) {
    shards.push_back({shard.tensor, shard.server, shard.size_bytes});
  }
  return {{"rule", rule}, {"servers", servers}, {"shards", shards}};
}

} // namespace

TEST_CASE("Placements are those the trainer is held to", "[golden]") {
  nlohmann::ordered_json file;
  std::ifstream(file_name) >> file;
  const auto tensor_bytes = file.at("tensor_bytes").get<std::vector<double>>();
  std::vector<nlohmann::ordered_json> answers;
  for (const std::string rule : {"round-robin", "bytes", "split", "hash"}) {
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
