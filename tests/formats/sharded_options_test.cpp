#include "sim/formats/readers.hpp"
#include "sim/formats/sharded_options.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

/// A line a mistake; "" of a strategy that is written as it was read, and has that text.
std::string sharded_message(const std::string& text, const std::string& in_words = "") {
  const auto document = nlohmann::json::parse(text);
  Mistakes mistakes("");
  const auto strategy = strategy_from(JsonNode(document, "", mistakes), StrategyUse::scenario);
  std::string message;
  for (const auto& mistake : mistakes.list()) message += to_text(mistake) + "\n";
  if (!in_words.empty()) {
    CHECK(strategy_to_json(strategy, StrategyUse::scenario) == document);
    CHECK(to_text(strategy) == in_words);
  }
  return message;
}

} // namespace

TEST_CASE("fsdp says over which GPUs its state is sharded", "[sharded][hybrid]") {
  CHECK(sharded_message(R"({"name":"fsdp","shard_group":"node"})", "fsdp(groups of a node)").empty());
  CHECK(sharded_message(R"({"name":"fsdp","shard_group":16,"micro_batches":4})", "fsdp(groups of 16, 4 micro-batches)")
            .empty());
  CHECK_THAT(sharded_message(R"({"name":"zero-2","shard_group":2})"),
             Catch::StartsWith("/shard_group: has no meaning with \"name\": \"zero-2\""));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","shard_group":1})"), Catch::StartsWith("/shard_group: 1"));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","shard_group":-1})"), Catch::StartsWith("/shard_group: -1"));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","shard_group":1e30})"), Catch::StartsWith("/shard_group: "));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","shard_group":["node"]})"), Catch::StartsWith("/shard_group: "));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","shard_group":"nod\u001b"})"),
             Catch::Contains("did you mean \"node\"?") && !Catch::Contains("\x1b"));
}

TEST_CASE("a shard group is all GPUs, a node's or that many", "[sharded][hybrid]") {
  ShardedOptions sharded;
  CHECK(ranks_of_shard_group(sharded, 64, 8) == 64);
  sharded.shard_group = ShardedOptions::a_node;
  CHECK(ranks_of_shard_group(sharded, 64, 8) == 8);
  CHECK(ranks_of_shard_group(sharded, 4, 8) == 4);
  sharded.shard_group = 16;
  CHECK(ranks_of_shard_group(sharded, 64, 8) == 16);
  CHECK(ranks_of_shard_group(sharded, 8, 8) == 8);
}

TEST_CASE("what of the state is on the host") {
  CHECK(sharded_message(R"({"name":"zero-2","offload":"optimizer"})", "zero-2(optimizer on the host)").empty());
  CHECK(sharded_message(R"({"name":"fsdp","offload":"optimizer-and-parameters"})",
                        "fsdp(optimizer and parameters on the host)")
            .empty());
  CHECK_THAT(sharded_message(R"({"name":"zero-1","offload":"optimizer-and-parameters"})"),
             Catch::StartsWith("/offload: \"optimizer-and-parameters\" found; give one of none, optimizer"));
  CHECK_THAT(sharded_message(R"({"name":"fsdp","offload":"optimiser"})"),
             Catch::Contains("did you mean \"optimizer\"?"));
  CHECK_THAT(sharded_message(R"({"name":"ring","offload":"optimizer"})"),
             Catch::StartsWith("/offload: has no meaning with \"name\": \"ring\""));
}

} // namespace ddlsim
