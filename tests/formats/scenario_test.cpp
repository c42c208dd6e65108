#include "sim/formats/readers.hpp"
#include "sim/formats/scenario.hpp"
#include "sim/formats/strategy.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <cmath>
#include <set>

using ddlsim::read_scenario;

TEST_CASE("a scenario is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto scenario = read_scenario(folder.write("a.json", ddlsim_test::sample_scenario().dump()));
  CHECK(scenario.name + " of " + scenario.model == "tiny-iris of tiny");
  CHECK(scenario.batch_per_gpu == 64);
  CHECK(scenario.gpus == std::vector<int>{1, 2, 4, 8});
  REQUIRE(scenario.strategies.size() == 2);
  CHECK(to_text(scenario.strategies[1]) == "ps(1 a node colocated, round-robin)");
  CHECK(scenario.preset == "pytorch-ddp");
  CHECK(scenario.transport == "nccl-ib");
  CHECK(scenario.efficiency_bound == 0.9);
  CHECK(scenario.seed == 7);
  CHECK(scenario.samples == 100);
}

TEST_CASE("a scenario is written as it is read") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["gpu"] = "tiny-gpu";
  json["gpus_per_node"] = 2;
  json["series"] = "amp";
  json["software"] = "NGC 20.03";
  json["one_gpu_samples_per_s"] = {{"value", 300}, {"low", 280}, {"high", 310}};
  json["slow_node"] = {{"compute_factor", 1.5}, {"network_factor", 0.5}};
  json["node_placement"] = {3, 0, 7};
  json["background_traffic"] = 0.25;
  json["neighbours"] = {
      {{"name", "a"}, {"nodes", 4}, {"compute", "120 ms"}, {"all_reduce", "100 MB"}},
      {{"name", "b"}, {"nodes", 2}, {"node_placement", "scattered"}, {"compute", "0 s"}, {"all_reduce", "1 KB"}}};
  json["input"] = {{"bytes_per_sample", "110 KB"}, {"loader_samples_per_s", 900}, {"shared_read_bandwidth", "2 GB/s"}};
  const auto text = scenario_json(read_scenario(folder.write("a.json", json.dump())));
  const auto again = read_scenario(folder.write("b.json", text));
  CHECK(scenario_json(again) == text);
  CHECK(again.gpu == "tiny-gpu");
  CHECK(again.gpus_per_node == 2);
  CHECK(again.one_gpu->low == 280);
  CHECK(again.slow_node.network_factor == 0.5);
  CHECK(again.co_location.placement == ddlsim::NodePlacement{ddlsim::NodeOrder::listed, {3, 0, 7}});
  CHECK(again.co_location.background_traffic == 0.25);
  REQUIRE(again.co_location.neighbours.size() == 2);
  CHECK(again.co_location.neighbours[0] == ddlsim::Neighbour{"a", 4, {}, 0.12, 1e8});
  CHECK(again.co_location.neighbours[1] == ddlsim::Neighbour{"b", 2, {ddlsim::NodeOrder::scattered, {}}, 0, 1e3});
  CHECK(again.input.bytes_per_sample == 110e3);
  CHECK(again.input.shared_read_Bps == 2e9);
  CHECK(again.input_names == ddlsim::InputNames{});
}

TEST_CASE("a scenario's named input is written as it is read") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_named_input();
  json["input"]["read_bandwidth"] = "3 GB/s";
  const auto text = scenario_json(read_scenario(folder.write("a.json", json.dump())));
  const auto again = read_scenario(folder.write("b.json", text));
  CHECK(scenario_json(again) == text);
  CHECK(again.input_names == ddlsim::InputNames{"pictures", "nfs", "files", "by-core", 10, 4});
  CHECK(again.input.read_Bps == 3e9);
  CHECK(again.input.bytes_per_sample == 0);
}

TEST_CASE("mistakes in a scenario's named input") {
  const auto read = [](const std::filesystem::path& file) { ddlsim::read_scenario(file); };
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_named_input(),
      {
          {"/input/dataset", "",
           "/input/bytes_per_sample: missing; give the size of a stored sample, like \"110 KB\", or the name of a "
           "\"dataset\""},
          {"/input/loader", "", "/input/loader: missing; name what the cores decode with, like \"pytorch-dataloader\""},
          {"/input/storage", "\"\"",
           "/input/storage: the text is empty; say what it is, or \"unknown\" where that is allowed"},
          {"/input/cores_per_node", "0", "/input/cores_per_node: 0 is out of range; give 1 to 100000"},
          {"/input/storrage", "\"nfs\"", "/input/storrage: unknown key; did you mean \"storage\"?"},
      },
      read);
}

TEST_CASE("what a scenario leaves out has its usual value") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  for (const char* key : {"transport", "rank_mapping", "efficiency_bound", "seed", "samples"}) json.erase(key);
  const auto scenario = read_scenario(folder.write("a.json", json.dump()));
  CHECK(scenario.transport.empty());
  CHECK(scenario.wire_precision == ddlsim::WirePrecision::fp32);
  CHECK(scenario.rank_mapping == "fill-nodes");
  CHECK(scenario.efficiency_bound == 0.8);
  CHECK(scenario.seed == 1);
  CHECK(scenario.samples == 800);
}

TEST_CASE("a scenario states its own one-GPU rate, with or without an interval, and names records") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["one_gpu_samples_per_s"] = 350;
  json["series"] = "a-series";
  json["software"] = "xla";
  json["cross_entropy"] = "in-place";
  auto scenario = read_scenario(folder.write("a.json", json.dump()));
  REQUIRE(scenario.one_gpu);
  CHECK(scenario.one_gpu->samples_per_s == 350);
  CHECK(scenario.one_gpu->width() == 0);
  CHECK(scenario.series == "a-series");
  CHECK(scenario.software == "xla");
  CHECK(scenario.cross_entropy == ddlsim::CrossEntropy::in_place);
  json["one_gpu_samples_per_s"] = {{"value", 350}, {"low", 340}, {"high", 360}};
  scenario = read_scenario(folder.write("b.json", json.dump()));
  CHECK(scenario.one_gpu->width() == Approx(std::log(360.0 / 340) / (2 * 1.6448536)));
}

TEST_CASE("what is wrong with a scenario is reported") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_scenario(),
      {{"/one_gpu_samples_per_s", R"({"value": 350, "low": 360, "high": 370})",
        "/one_gpu_samples_per_s: 350 does not lie between 360 and 370; give low, value and high in ascending order"},
       {"/gpus/3", "0", "/gpus/3: 0 is out of range; give 1 to 10000000"},
       {"/gpus/3", "-8", "/gpus/3: -8 is out of range; give 1 to 10000000"},
       {"/gpus/3", "\"8\"", "/gpus/3: \"8\" found, a whole number expected; give 1 to 10000000"},
       {"/gpus/3", "8.5", "/gpus/3: 8.5 found, a whole number expected; give 1 to 10000000"},
       {"/gpus/3", "1e9", "/gpus/3: 1000000000.0 is out of range; give 1 to 10000000"},
       {"/gpus/3", "4", "/gpus/3: 4 is there twice; keep one"},
       {"/gpus", "[]", "/gpus: none found; give one or more"},
       {"/gpus", "4", "/gpus: 4 found, a list expected; write [...]"},
       {"/gpus", "", "/gpus: missing; give a list of one or more, each a whole number, 1 to 10000000"},
       {"/bacth_per_gpu", "3", "/bacth_per_gpu: unknown key; did you mean \"batch_per_gpu\"?"},
       {"/batch_per_gpu", "0", "/batch_per_gpu: 0 found; give a number above 0, without quotes or unit"},
       {"/model", "\"resnet50\"",
        "/model: \"resnet50\" leaves open which variant is meant; give one of resnet50_v1, resnet50_v1.5, resnet50_v2"},
       {"/precision", "\"fp64\"",
        "/precision: \"fp64\" found; give one of amp, bf16, fp16, fp32, fp8, fp8-block, mxfp8, nvfp4, tf32"},
       {"/strategies", "[]", "/strategies: none found; give one or more"},
       {"/strategies/1", "{\"name\": \"ring\"}", "/strategies/1: ring is there twice; keep one"},
       {"/strategies/1/servers/per_node", "1.5",
        "/strategies/1/servers/per_node: 1.5 found, a whole number expected; give 1 to 1000000"},
       {"/transport", "\"ib\"",
        "/transport: \"ib\" found; give one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm"},
       {"/efficiency_bound", "80", "/efficiency_bound: 80 found; give a share, 1 or less"},
       {"/seed", "-1", "/seed: -1 is out of range; give 0 or more"},
       {"/samples", "0", "/samples: 0 is out of range; give 1 to 100000"},
       {"/rank_mapping", "\"random\"", "/rank_mapping: \"random\" found; give one of fill-nodes"}},
      [](const auto& file) { read_scenario(file); });
}

TEST_CASE("all mistakes of a file are reported at once") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["gpus"] = {0, "x"};
  json["strategies"][0]["name"] = "rings";
  json["cluster"] = "";
  json["sede"] = 1;
  const auto file = folder.write("a.json", json.dump());
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_scenario(file); }).size() == 5);
}

using ddlsim::Strategy;
using ddlsim::StrategyUse;
using nlohmann::json;

namespace {

Strategy read(const std::string& text, StrategyUse use, std::string* reported = nullptr) {
  const json document = json::parse(text);
  ddlsim::Mistakes mistakes("");
  Strategy strategy = strategy_from(ddlsim::JsonNode(document, "", mistakes), use);
  std::string lines;
  for (const auto& mistake : mistakes.list()) lines += (lines.empty() ? "" : "\n") + to_text(mistake);
  if (reported != nullptr)
    *reported = lines;
  else
    CHECK(lines.empty());
  return strategy;
}

std::string reported(const std::string& text, StrategyUse use) {
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
       "ps(4 dedicated, hash, on gpu)"},
      {R"({"name":"fsdp"})", "fsdp"},
      {R"({"name":"fsdp","gathers_in_flight":3,"reshard_after_forward":false,"backward_prefetch":false})",
       "fsdp(kept after forward, no prefetch, 3 in flight)"},
      {R"({"name":"fsdp","recompute":"alternate-matmuls"})", "fsdp(alternate-matmuls recomputation)"},
      {R"({"name":"zero-2","micro_batches":4,"recompute":"full"})", "zero-2(4 micro-batches, full recomputation)"}};
  std::set<std::string> texts;
  for (const auto& [json_text, text] : all) {
    const Strategy strategy = read(json_text, StrategyUse::record);
    CHECK(to_text(strategy) == text);
    CHECK(texts.insert(text).second);
    CHECK(strategy_to_json(strategy, StrategyUse::record) == json::parse(json_text)); // written as it was read
  }
}

TEST_CASE("servers cut no batches and compute nothing again, only fsdp gathers") {
  for (const auto use : {StrategyUse::scenario, StrategyUse::record}) {
    CHECK_THAT(reported(R"({"name":"ps","servers":{"count":1},"micro_batches":2})", use),
               Catch::Contains("/micro_batches: has no meaning with \"name\": \"ps\""));
    CHECK_THAT(reported(R"({"name":"zero-1","gathers_in_flight":2})", use),
               Catch::StartsWith("/gathers_in_flight: has no meaning with \"name\": \"zero-1\""));
    CHECK_THAT(reported(R"({"name":"fsdp","micro_batches":0})", use), Catch::StartsWith("/micro_batches: 0"));
    CHECK_THAT(reported(R"({"name":"fsdp","gathers_in_flight":1.5})", use),
               Catch::StartsWith("/gathers_in_flight: 1.5"));
    CHECK_THAT(reported(R"({"name":"fsdp","recompute":"ful"})", use), Catch::Contains("did you mean \"full\"?"));
    CHECK_THAT(reported(R"({"name":"fsdp","reshard_after_forward":"yes"})", use),
               Catch::StartsWith("/reshard_after_forward: "));
    CHECK_THAT(reported(R"({"name":"fsdp","servers":{"count":1}})", use),
               Catch::StartsWith("/servers: has no meaning with \"name\": \"fsdp\""));
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
  CHECK(reported(four, StrategyUse::scenario).empty());
  CHECK(to_text(read(R"({"name":"ps","servers":{"count":4},"placement":"dedicated"})", StrategyUse::scenario)) ==
        "ps(4 dedicated, unknown)"); // the preset's own sharding
  CHECK(reported(R"({"name":"none"})", StrategyUse::scenario) ==
        "/name: \"none\" found; give one of ring, hierarchical-ring, tree, halving-doubling, "
        "recursive-doubling, segmented-ring, nvls, collnet, nvls-sharp, ps, ps-async, auto, zero-1, zero-2, fsdp, "
        "model-parallel");
  CHECK_THAT(reported(R"({"name":"all-reduce"})", StrategyUse::scenario),
             Catch::StartsWith("/name: \"all-reduce\" found; "));
  CHECK(reported(R"({"name":"ps"})", StrategyUse::scenario).empty()); // servers and placement are the preset's
  CHECK(reported(R"({"name":"ps","servers":{"unknown":true},"placement":"dedicated"})", StrategyUse::scenario) ==
        "/servers/unknown: unknown key; known here: count, per_node, equal_workers");
  CHECK_THAT(reported(R"({"name":"ps","servers":{"count":1},"placement":"unknown"})", StrategyUse::scenario),
             Catch::StartsWith("/placement: \"unknown\" found"));
}

TEST_CASE("a strategy of a scenario may have a preset and a transport of its own") {
  const std::string own = R"({"name":"auto","preset":"horovod","transport":"nccl-ib"})";
  const auto strategy = read(own, StrategyUse::scenario);
  CHECK(strategy.preset == "horovod");
  CHECK(strategy.transport == "nccl-ib");
  CHECK(to_text(strategy) == "auto");
  CHECK(label_of(strategy) == "auto with horovod over nccl-ib");
  CHECK(strategy_to_json(strategy, StrategyUse::scenario) == json::parse(own));
  const std::string versioned = R"({"name":"auto","library":"nccl 2.4.8"})";
  CHECK(label_of(read(versioned, StrategyUse::scenario)) == "auto of nccl 2.4.8");
  CHECK(strategy_to_json(read(versioned, StrategyUse::record), StrategyUse::record) == json::parse(versioned));
  CHECK_THAT(reported(R"({"name":"auto","library":"nccl two"})", StrategyUse::scenario),
             Catch::StartsWith("/library: \"nccl two\" is no library and version; give one of nccl"));
  CHECK(reported(R"({"name":"ps","library":"nccl 2"})", StrategyUse::scenario) ==
        "/library: has no meaning with \"name\": \"ps\"; leave it out");
  const auto servers = read(R"({"name":"ps","servers":{"count":4},"transport":"grpc"})", StrategyUse::scenario);
  CHECK(label_of(servers) == "ps(4 unknown, unknown) over grpc");
  CHECK(label_of(read(R"({"name":"ring"})", StrategyUse::scenario)) == "ring");
  ddlsim::Scenario scenario;
  scenario.preset = "tf-ps";
  scenario.transport = "nccl-tcp";
  CHECK(scenario_with_preset_of(scenario, strategy).preset == "horovod");
  CHECK(scenario_with_preset_of(scenario, strategy).transport == "nccl-ib");
  CHECK(scenario_with_preset_of(scenario, servers).preset == "tf-ps");
  CHECK(scenario_with_preset_of(scenario, servers).transport == "grpc");
  CHECK(
      reported(R"({"name":"auto","transport":"ncl-ib"})", StrategyUse::scenario) ==
      "/transport: \"ncl-ib\" found, one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, gloo-tcp, grpc, shm expected; did you "
      "mean \"nccl-ib\"?");
  CHECK(reported(R"({"name":"auto","preset":""})", StrategyUse::scenario) ==
        "/preset: the text is empty; say what it is, or \"unknown\" where that is allowed");
  CHECK(reported(R"({"name":"auto","preset":"horovod"})", StrategyUse::record) ==
        "/preset: unknown key; known here: name, micro_batches, recompute, library");
  CHECK(reported(R"({"name":"auto","pre-set":"horovod"})", StrategyUse::scenario) ==
        "/pre-set: unknown key; did you mean \"preset\"?");
}

TEST_CASE("a strategy of a scenario may have a note, which makes no other strategy of it") {
  const std::string noted = R"({"name":"ring","note":"what runs today"})";
  const auto strategy = read(noted, StrategyUse::scenario);
  CHECK(strategy.note == "what runs today");
  CHECK(label_of(strategy) == "ring");
  CHECK(strategy_to_json(strategy, StrategyUse::scenario) == json::parse(noted));
  CHECK_THAT(reported(noted, StrategyUse::record), Catch::StartsWith("/note: unknown key"));
  CHECK_THAT(reported(R"({"name":"ring","note":""})", StrategyUse::scenario),
             Catch::StartsWith("/note: the text is empty"));
}

TEST_CASE("strategies of one name differ by preset or transport") {
  const ddlsim_test::TemporaryFolder folder;
  auto content = ddlsim_test::sample_scenario();
  content["strategies"] = json::parse(
      R"([{"name":"auto"},{"name":"auto","preset":"horovod"},{"name":"auto","preset":"horovod","transport":"shm"}])");
  const auto scenario = read_scenario(folder.write("a.json", content.dump()));
  CHECK(scenario.strategies.size() == 3);
  const auto again = read_scenario(folder.write("b.json", scenario_json(scenario)));
  CHECK(label_of(again.strategies[2]) == "auto with horovod over shm");
  content["strategies"][2].erase("transport");
  const auto file = folder.write("c.json", content.dump());
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_scenario(file); }) ==
        std::vector<std::string>{"/strategies/2: auto with horovod is there twice; keep one"});
}

TEST_CASE("a scenario may leave the search for the best servers to predict") {
  const std::string open = R"({"name":"ps","servers":"best"})";
  const auto strategy = read(open, StrategyUse::scenario);
  CHECK(seeks_best_servers(strategy));
  CHECK(to_text(strategy) == "ps(best servers)");
  CHECK(strategy_to_json(strategy, StrategyUse::scenario)["servers"] == "best");
  CHECK(ddlsim::server_count(strategy.servers, 32, 8) == 0);
  const auto fixed =
      read(R"({"name":"ps-async","servers":"best","placement":"dedicated","sharding":"split"})", StrategyUse::scenario);
  CHECK(to_text(fixed) == "ps-async(best servers dedicated, split)");
  CHECK_FALSE(seeks_best_servers(read(four, StrategyUse::scenario)));

  const std::string rules = R"({"count": 4}, {"per_node": 1}, {"equal_workers": true} or "best" expected)";
  CHECK(reported(R"({"name":"ps","servers":"bst"})", StrategyUse::scenario) ==
        "/servers: \"bst\" found; did you mean \"best\"? " + rules);
  CHECK(reported(R"({"name":"ps","servers":"as many as there are"})", StrategyUse::scenario) ==
        "/servers: \"as many as there are\" found; " + rules);
  for (const char* name : {"ring", "auto"})
    CHECK(reported(fmt::format(R"({{"name":"{}","servers":"best"}})", name), StrategyUse::scenario) ==
          fmt::format("/servers: has no meaning with \"name\": \"{}\"; leave it out, or give \"name\": \"ps\" or "
                      "\"ps-async\"",
                      name));
  CHECK_THAT(
      reported(R"({"name":"ps","servers":"best","placement":"unknown","sharding":"unknown"})", StrategyUse::record),
      Catch::Contains("\"best\" found, an object expected")); // a run has the servers that it had
}

TEST_CASE("best servers are read as they are written") {
  const ddlsim_test::TemporaryFolder folder;
  auto content = ddlsim_test::sample_scenario();
  content["strategies"] = json::parse(R"([{"name":"ps","servers":"best"},
    {"name":"ps","servers":"best","placement":"colocated"}, {"name":"ps","servers":{"count":2}}])");
  const auto scenario = read_scenario(folder.write("a.json", content.dump()));
  const auto again = read_scenario(folder.write("b.json", scenario_json(scenario)));
  REQUIRE(again.strategies.size() == 3);
  for (std::size_t i = 0; i < 3; ++i) CHECK(label_of(again.strategies[i]) == label_of(scenario.strategies[i]));
  content["strategies"][1].erase("placement");
  const auto file = folder.write("c.json", content.dump());
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_scenario(file); }) ==
        std::vector<std::string>{"/strategies/1: ps(best servers) is there twice; keep one"});
}

TEST_CASE("a record says unknown rather than nothing") {
  CHECK(reported(R"({"name":"ps","servers":{"count":1},"placement":"dedicated"})", StrategyUse::record) ==
        "/sharding: missing; give one of round-robin, bytes, split, pieces, hash, unknown");
  CHECK(reported(R"({"name":"all-reduce"})", StrategyUse::record).empty());
}

TEST_CASE("what is wrong with a strategy is reported") {
  const auto with_servers = [](const std::string& servers) {
    return R"({"name":"ps","placement":"dedicated","sharding":"hash","servers":)" + servers + "}";
  };
  const std::string one_rule = " rules found, exactly one expected; give {\"count\": 4}, {\"per_node\": 1} or "
                               "{\"equal_workers\": true}";
  CHECK(reported(with_servers("{}"), StrategyUse::record) == "/servers: 0" + one_rule);
  CHECK(reported(with_servers(R"({"count":1,"per_node":1})"), StrategyUse::record) == "/servers: 2" + one_rule);
  CHECK(reported(with_servers(R"({"count":0})"), StrategyUse::record) ==
        "/servers/count: 0 is out of range; give 1 to 1000000");
  CHECK(reported(with_servers(R"({"equal_workers":false})"), StrategyUse::record) ==
        "/servers/equal_workers: only true has a meaning; give it, or another rule");
  CHECK(reported(R"({"name":"ring","servers":{"count":1}})", StrategyUse::record) ==
        "/servers: has no meaning with \"name\": \"ring\"; leave it out, or give \"name\": \"ps\" or \"ps-async\"");
  CHECK(reported(R"("ring")", StrategyUse::record) == "\"ring\" found, an object expected; write {...}");
}

TEST_CASE("a scenario is checked after it was changed", "[json-change]") {
  const auto file = std::string(DDLSIM_SOURCE_DIR) + "/scenarios/iris-resnet50.json";
  CHECK(read_scenario(file, {{"/batch_per_gpu", "64"}}).batch_per_gpu == 64);
  CHECK_THROWS_WITH(read_scenario(file, {{"/batch_per_gpu", "-64"}}), Catch::Contains("/batch_per_gpu"));
  CHECK_THROWS_WITH(read_scenario(file, {{"/bach", "64"}}), Catch::Contains("/bach"));
}
