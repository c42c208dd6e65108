// Strategies with presets and transports of their own, beside each other in one scenario.

#include "sim/base/error.hpp"
#include "sim/base/json.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "tests/calibrate/shipped_data.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace ddlsim {
namespace {

const DataFolder of_two_stacks = ddlsim_test::shipped_data();
const PredictOptions two_stacks_by_formula{Fidelity::formula, {}};

Scenario two_stacks() {
  auto scenario = read_scenario(of_two_stacks.scenarios() / "pascal-servers-or-horovod.json");
  scenario.gpus = {1, 16};
  scenario.samples = 40;
  scenario.strategies.resize(2); // Horovod, and the servers that were measured
  return scenario;
}

} // namespace

TEST_CASE("each strategy is answered as a scenario of its own preset and transport is", "[two-stacks]") {
  const auto scenario = two_stacks();
  const auto together = predict(scenario, of_two_stacks, two_stacks_by_formula);
  REQUIRE(together.strategies.size() == 2);
  for (std::size_t s = 0; s < 2; ++s) {
    auto alone = scenario;
    alone.preset = scenario.strategies[s].preset;
    alone.transport = scenario.strategies[s].transport;
    alone.strategies = {scenario.strategies[s]};
    alone.strategies[0].preset.clear();
    alone.strategies[0].transport.clear();
    const auto by_itself = predict(alone, of_two_stacks, two_stacks_by_formula).strategies.at(0);
    const auto& answer = together.strategies[s];
    CHECK(answer.preset == alone.preset);
    CHECK(answer.transport == alone.transport);
    CHECK(answer.one_gpu.text == by_itself.one_gpu.text);
    for (std::size_t i = 0; i < scenario.gpus.size(); ++i) {
      CHECK(answer.points[i].iteration_s == by_itself.points[i].iteration_s);
      CHECK(answer.points[i].iteration_s_low == by_itself.points[i].iteration_s_low);
      CHECK(answer.points[i].iteration_s_high == by_itself.points[i].iteration_s_high);
    }
  }
}

TEST_CASE("tables, JSON and CSV name preset and transport of each strategy", "[two-stacks]") {
  const auto prediction = predict(two_stacks(), of_two_stacks, two_stacks_by_formula);
  const auto text = to_terminal_text(prediction);
  CHECK_THAT(text, Catch::Contains(" horovod-pascal with horovod, tf-ps ("));
  CHECK_THAT(text, Catch::Contains(" with tf-ps over grpc\n") && Catch::Contains("auto with horovod over nccl-ib\n"));
  CHECK_THAT(text, Catch::Contains(", with tf-ps: one ") && Catch::Contains(", with horovod: one "));
  const auto json = nlohmann::json::parse(to_json_text(prediction));
  CHECK(json["strategies"][0]["transport"] == "nccl-ib");
  CHECK(json["strategies"][0]["one_gpu"]["samples_per_s"].get<double>() > 0);
  CHECK(json["strategies"][1]["preset"] == "tf-ps");
  CHECK(json["points"][0]["strategy"]["preset"] == "horovod");
  CHECK(json["points"][0]["strategy"]["transport"] == "nccl-ib");
  CHECK_THAT(to_csv_text(prediction), Catch::Contains(",tf-ps,grpc,16,") && Catch::Contains(",horovod,nccl-ib,16,"));
  CHECK_THAT(sweep_rows(prediction), Catch::Contains("auto with horovod over nccl-ib"));
}

TEST_CASE("a strategy without a preset of its own has the scenario's, and is reported as ever", "[two-stacks]") {
  auto scenario = two_stacks();
  scenario.strategies.resize(1);
  scenario.strategies[0].preset.clear();
  scenario.strategies[0].transport.clear();
  const auto text = to_terminal_text(predict(scenario, of_two_stacks, two_stacks_by_formula));
  CHECK_THAT(text, Catch::Contains(" with horovod (") && Catch::Contains("\nauto over nccl-ib\n"));
  CHECK_THAT(text, !Catch::Contains("with horovod: one "));
}

TEST_CASE("an unknown preset or transport of a strategy is a clear error", "[two-stacks]") {
  auto scenario = two_stacks();
  scenario.strategies[0].preset = "tf-pss";
  CHECK_THROWS_WITH(predict(scenario, of_two_stacks, two_stacks_by_formula), Catch::Contains("did you mean tf-ps"));
  scenario = two_stacks();
  scenario.strategies[1].transport = "gloo-tcp";
  CHECK_THROWS_WITH(predict(scenario, of_two_stacks, two_stacks_by_formula),
                    Catch::Contains("transport of cluster horovod-pascal"));
}

TEST_CASE("a shipped scenario that lets the library choose asks for that first", "[two-stacks]") {
  int asked = 0;
  for (const auto& entry : std::filesystem::directory_iterator(std::string(DDLSIM_SOURCE_DIR) + "/scenarios")) {
    if (entry.path().extension() != ".json") continue;
    const auto text = read_text_file(entry.path());
    if (text.find("\"ddlsim-scenario\"") == std::string::npos) continue;
    const auto scenario = read_scenario(entry.path());
    INFO(entry.path().filename());
    const auto is_open = [](const auto& strategy) { return strategy.name == StrategyName::automatic; };
    if (std::none_of(scenario.strategies.begin(), scenario.strategies.end(), is_open)) continue;
    CHECK(is_open(scenario.strategies.front()));
    ++asked;
  }
  CHECK(asked >= 5);
}

} // namespace ddlsim
