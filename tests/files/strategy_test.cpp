#include "sim/files/readers.hpp"
#include "sim/files/strategy.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

#include <set>

using ddlsim::Strategy;
using ddlsim::StrategyUse;
using nlohmann::json;

namespace {

Strategy read(const std::string& text, StrategyUse use, std::string* told = nullptr) {
  const json document = json::parse(text);
  ddlsim::Mistakes mistakes("");
  Strategy strategy = strategy_from(ddlsim::Place(document, "", mistakes), use);
  std::string lines;
  for (const auto& mistake : mistakes.list()) lines += (lines.empty() ? "" : "\n") + to_text(mistake);
  if (told != nullptr)
    *told = lines;
  else
    CHECK(lines.empty());
  return strategy;
}

std::string told(const std::string& text, StrategyUse use) {
  std::string lines;
  read(text, use, &lines);
  return lines;
}

const std::string four = R"({"name":"ps","servers":{"count":4},"placement":"dedicated","sharding":"round-robin"})";

} // namespace

TEST_CASE("strategies have a text of their own each") {
  const std::vector<std::pair<std::string, std::string>> all{
      {R"({"name":"ring"})", "ring"},
      {R"({"name":"none"})", "none"},
      {four, "ps(4 dedicated, round-robin)"},
      {R"({"name":"ps-async","servers":{"per_node":1},"placement":"colocated","sharding":"bytes"})",
       "ps-async(1 a node colocated, bytes)"},
      {R"({"name":"ps","servers":{"equal_workers":true},"placement":"unknown","sharding":"unknown"})",
       "ps(as many as workers unknown, unknown)"},
      {R"({"name":"ps","servers":{"unknown":true},"placement":"unknown","sharding":"unknown"})",
       "ps(unknown count unknown, unknown)"},
      {R"({"name":"ps","servers":{"count":4},"placement":"dedicated","sharding":"split","on_node_reduce":false})",
       "ps(4 dedicated, split, no on-node reduce)"},
      {R"({"name":"ps","servers":{"count":4},"placement":"dedicated","sharding":"hash","device":"gpu"})",
       "ps(4 dedicated, hash, on gpu)"}};
  std::set<std::string> texts;
  for (const auto& [json_text, text] : all) {
    const Strategy strategy = read(json_text, StrategyUse::record);
    CHECK(to_text(strategy) == text);
    CHECK(texts.insert(text).second);
    CHECK(strategy_to_json(strategy) == json::parse(json_text)); // written as it was read
  }
}

TEST_CASE("the number of servers follows its rule") {
  using Rule = ddlsim::ServerCount::Rule;
  CHECK(ddlsim::server_count({Rule::count, 4}, 32, 8) == 4);
  CHECK(ddlsim::server_count({Rule::per_node, 2}, 32, 8) == 16);
  CHECK(ddlsim::server_count({Rule::equal_workers, 0}, 32, 8) == 32);
  CHECK(ddlsim::server_count({Rule::unknown, 0}, 32, 8) == 0);
}

TEST_CASE("a scenario must say what it wants") {
  CHECK(told(four, StrategyUse::scenario).empty());
  CHECK(to_text(read(R"({"name":"ps","servers":{"count":4},"placement":"dedicated"})", StrategyUse::scenario)) ==
        "ps(4 dedicated, unknown)"); // the preset's own sharding
  CHECK(told(R"({"name":"none"})", StrategyUse::scenario) ==
        "/name: \"none\" found; give one of ring, hierarchical-ring, tree, halving-doubling, ps, ps-async, auto");
  CHECK_THAT(told(R"({"name":"all-reduce"})", StrategyUse::scenario),
             Catch::StartsWith("/name: \"all-reduce\" found; "));
  CHECK(told(R"({"name":"ps"})", StrategyUse::scenario) == "/servers: missing; give an object or a list\n"
                                                           "/placement: missing; give one of dedicated, colocated");
  CHECK(told(R"({"name":"ps","servers":{"unknown":true},"placement":"dedicated"})", StrategyUse::scenario) ==
        "/servers/unknown: unknown key; known here: count, per_node, equal_workers");
  CHECK_THAT(told(R"({"name":"ps","servers":{"count":1},"placement":"unknown"})", StrategyUse::scenario),
             Catch::StartsWith("/placement: \"unknown\" found"));
}

TEST_CASE("a record says unknown rather than nothing") {
  CHECK(told(R"({"name":"ps","servers":{"count":1},"placement":"dedicated"})", StrategyUse::record) ==
        "/sharding: missing; give one of round-robin, bytes, split, pieces, hash, unknown");
  CHECK(told(R"({"name":"all-reduce"})", StrategyUse::record).empty());
}

TEST_CASE("what is wrong with a strategy is told") {
  const auto with_servers = [](const std::string& servers) {
    return R"({"name":"ps","placement":"dedicated","sharding":"hash","servers":)" + servers + "}";
  };
  const std::string one_rule = " rules found, exactly one expected; give {\"count\": 4}, {\"per_node\": 1} or "
                               "{\"equal_workers\": true}";
  CHECK(told(with_servers("{}"), StrategyUse::record) == "/servers: 0" + one_rule);
  CHECK(told(with_servers(R"({"count":1,"per_node":1})"), StrategyUse::record) == "/servers: 2" + one_rule);
  CHECK(told(with_servers(R"({"count":0})"), StrategyUse::record) ==
        "/servers/count: 0 is out of range; give 1 to 1000000");
  CHECK(told(with_servers(R"({"equal_workers":false})"), StrategyUse::record) ==
        "/servers/equal_workers: only true has a meaning; give it, or another rule");
  CHECK(told(R"({"name":"ring","servers":{"count":1}})", StrategyUse::record) ==
        "/servers: unknown key; known here: name");
  CHECK(told(R"("ring")", StrategyUse::record) == "\"ring\" found, an object expected; write {...}");
}
