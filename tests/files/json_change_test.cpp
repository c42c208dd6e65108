#include "sim/files/data_folder.hpp"
#include "sim/files/error.hpp"
#include "sim/files/json_change.hpp"
#include "sim/files/scenario.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

nlohmann::json changed(const std::string& path, const std::string& value) {
  nlohmann::json document{{"name", "a"}, {"gpus", {1, 2}}, {"strategies", {{{"name", "ring"}}}}};
  apply_change(document, {path, value});
  return document;
}

} // namespace

TEST_CASE("a change replaces a field, or makes it", "[json-change]") {
  CHECK(changed("/name", "iris")["name"] == "iris");
  CHECK(changed("/gpus", "[4, 8]")["gpus"] == nlohmann::json({4, 8}));
  CHECK(changed("/strategies/0/name", "ps")["strategies"][0]["name"] == "ps");
  CHECK(changed("/seed", "7")["seed"] == 7);
}

TEST_CASE("a change that leads nowhere is a clear error", "[json-change]") {
  for (const std::string path : {"name", "/no/such", "/gpus/x", "/name/first", ""})
    CHECK_THROWS_AS(changed(path, "1"), UserError);
}

TEST_CASE("a scenario is checked after it was changed", "[json-change]") {
  const auto file = std::string(DDLSIM_SOURCE_DIR) + "/scenarios/iris-resnet50.json";
  CHECK(read_scenario(file, {{"/batch_per_gpu", "64"}}).batch_per_gpu == 64);
  CHECK_THROWS_WITH(read_scenario(file, {{"/batch_per_gpu", "-64"}}), Catch::Contains("/batch_per_gpu"));
  CHECK_THROWS_WITH(read_scenario(file, {{"/bach", "64"}}), Catch::Contains("/bach"));
}

} // namespace ddlsim
