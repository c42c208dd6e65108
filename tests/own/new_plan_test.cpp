#include "own/new_plan.hpp"
#include "own/node_prices.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

const DataFolder shipped_for_plans{DDLSIM_SOURCE_DIR};

PlanWords words_of(const std::string& model) {
  PlanWords words;
  words.file = "mine.json";
  words.model = model;
  words.machines = {"p5"};
  words.tokens = "1T";
  return words;
}

nlohmann::json request_of(const PlanWords& words) {
  return nlohmann::json::parse(new_plan(words, shipped_for_plans).text);
}

} // namespace

TEST_CASE("machines are split at commas, and words of a machine keep their network", "[new-plan]") {
  CHECK(split_machines({"p5,p6-b200, ./mine"}) == std::vector<std::string>{"p5", "p6-b200", "./mine"});
  CHECK(split_machines({"64 x 8 x H100, 8x400 Gb/s IB,p5"}) ==
        std::vector<std::string>{"64 x 8 x H100, 8x400 Gb/s IB", "p5"});
  CHECK(split_machines({"2x8xA100", "4 x 8 x B200,3x8xH100,8xNDR"}) ==
        std::vector<std::string>{"2x8xA100", "4 x 8 x B200", "3x8xH100,8xNDR"});
  CHECK(split_machines({"4 x 8 x B200,p5"}) == std::vector<std::string>{"4 x 8 x B200", "p5"});
  CHECK(split_machines({"", " , "}).empty());
}

TEST_CASE("a machine is nodes, GPUs of a node, a GPU and its network", "[new-plan]") {
  const auto whole = machine_words("64 x 8 x H100 80GB, 8x400 Gb/s IB");
  CHECK(whole.nodes == 64);
  CHECK(whole.gpus_per_node == 8);
  CHECK(whole.gpu == "H100 80GB");
  CHECK(whole.network == "8x400 Gb/s IB");
  CHECK(machine_words("1*4*A100").network.empty());
  CHECK(is_machine_words("2 x 8 x H100"));
  CHECK_FALSE(is_machine_words("p5"));
  CHECK_FALSE(is_machine_words("8x400 Gb/s IB"));
  CHECK_THROWS_WITH(machine_words("64 x 8 x"), Catch::Contains("nodes x GPUs x GPU and a network expected"));
}

TEST_CASE("a language model is asked with the best layout, bf16 and a usual batch of tokens", "[new-plan]") {
  auto words = words_of("llama_3.1_8b_seq8192");
  words.deadline = "90d";
  words.budget = "3M";
  words.power = "2MW";
  const auto request = request_of(words);
  CHECK(request["name"] == "mine");
  CHECK(request["workload"] == nlohmann::json({{"model", "llama_3.1_8b_seq8192"},
                                               {"tokens", "1T"},
                                               {"global_batch", 512}, // 4 Mi tokens of 8,192 a sequence
                                               {"precision", "bf16"}}));
  CHECK(request["limits"] == nlohmann::json({{"deadline", "90d"}, {"budget", "3M USD"}, {"power", "2MW"}}));
  const auto& candidate = request["candidates"][0];
  CHECK(candidate["cluster"] == "p5");
  CHECK(candidate["preset"] == "megatron-lm");
  CHECK(candidate["strategies"] == nlohmann::json::parse(R"([{"name": "model-parallel", "layout": "best"}])"));
}

TEST_CASE("a model without tokens is asked with the library's all-reduce", "[new-plan]") {
  auto words = words_of("resnet50_v1.5");
  words.tokens.clear();
  words.samples = "1.28M";
  words.epochs = 90;
  words.batch_per_gpu = 128;
  words.gpus = {8, 16};
  const auto request = request_of(words);
  CHECK(request["workload"]["epochs"] == 90);
  CHECK(request["workload"]["batch_per_gpu"] == 128);
  CHECK(request["candidates"][0]["strategies"] == nlohmann::json::parse(R"([{"name": "auto"}])"));
  CHECK(request["candidates"][0]["gpus"] == nlohmann::json({8, 16}));
  CHECK_FALSE(request.contains("limits"));
}

TEST_CASE("words that are missing or contradict each other are told at once", "[new-plan]") {
  PlanWords words;
  words.model = "resnet50_v1.5";
  words.global_batch = words.batch_per_gpu = 8;
  try {
    new_plan(words, shipped_for_plans);
    FAIL("nothing was said");
  } catch (const UserError& error) {
    CHECK(error.mistakes().size() == 3); // --on, --tokens, --batch
  }
  words = words_of("llama_3.1_8b_seq8192");
  words.epochs = 2;
  words.samples = "3M";
  CHECK_THROWS_WITH(new_plan(words, shipped_for_plans), Catch::Contains("--samples") && Catch::Contains("--epochs"));
  CHECK_THROWS_WITH(new_plan(words_of("llama-9"), shipped_for_plans), Catch::Contains("llama"));
}

TEST_CASE("a price is stated for a machine by its name or number", "[new-plan]") {
  auto words = words_of("llama_3.1_8b_seq8192");
  words.machines = {"p5", "/tmp/64x8-h100", "iris"};
  words.prices = {"P5=98", "2=$70", "iris=1.5k USD"};
  const auto candidates = request_of(words)["candidates"];
  CHECK(candidates[0]["price"]["usd_per_node_hour"] == 98);
  CHECK(candidates[0]["price"]["kind"] == "on-demand");
  CHECK(candidates[1]["price"]["usd_per_node_hour"] == 70);
  CHECK(candidates[2]["price"]["usd_per_node_hour"] == 1500);
  words.prices = {"p6=98", "p5", "p5=many", "p5=0"};
  try {
    new_plan(words, shipped_for_plans);
    FAIL("nothing was said");
  } catch (const UserError& error) {
    CHECK(error.mistakes().size() == 4);
    CHECK_THAT(error.what(),
               Catch::Contains("--price: no machine is called \"p6\"") && Catch::Contains("1 p5, 2 64x8-h100, 3 iris"));
  }
}

TEST_CASE("a stated price replaces that of a request", "[new-plan]") {
  auto request = nlohmann::json::parse(R"({"candidates": [{"cluster": "p5"}, {"name": "b", "cluster": "p5"}]})");
  set_prices(request, {"b=5"});
  CHECK_FALSE(request["candidates"][0].contains("price"));
  CHECK(request["candidates"][1]["price"]["usd_per_node_hour"] == 5);
  CHECK_THROWS_WITH(set_prices(request, {"c=5"}), Catch::Contains("1 p5, 2 b"));
}

TEST_CASE("a word that is no quantity is told under its option, with the others", "[new-plan]") {
  auto words = words_of("llama_3.1_8b_seq8192");
  words.deadline = "two months";
  words.budget = "much";
  words.power = "3 apples";
  words.tokens = "all";
  CHECK_THROWS_WITH(new_plan(words, shipped_for_plans),
                    Catch::StartsWith("--tokens: ") && Catch::Contains("--within: ") && Catch::Contains("--budget: ") &&
                        Catch::Contains("--power: "));
}

} // namespace ddlsim
