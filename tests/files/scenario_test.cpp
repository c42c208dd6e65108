#include "sim/files/scenario.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::read_scenario;

TEST_CASE("a scenario is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto scenario = read_scenario(folder.write("a.json", ddlsim_test::sample_scenario().dump()));
  CHECK(scenario.name == "tiny-iris");
  CHECK(scenario.model == "tiny");
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

TEST_CASE("what a scenario leaves out has its usual value") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  for (const char* key : {"transport", "rank_mapping", "efficiency_bound", "seed", "samples"}) json.erase(key);
  const auto scenario = read_scenario(folder.write("a.json", json.dump()));
  CHECK(scenario.transport.empty());
  CHECK(scenario.wire_precision == "fp32");
  CHECK(scenario.rank_mapping == "fill-nodes");
  CHECK(scenario.efficiency_bound == 0.8);
  CHECK(scenario.seed == 1);
  CHECK(scenario.samples == 200);
}

TEST_CASE("what is wrong with a scenario is told") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_scenario(),
      {{"/gpus/3", "0", "/gpus/3: 0 is not a GPU count; give 1 or more"},
       {"/gpus/3", "-8", "/gpus/3: -8 is not a GPU count; give 1 or more"},
       {"/gpus/3", "\"8\"", "/gpus/3: \"8\" is not a GPU count; give 1 or more"},
       {"/gpus/3", "8.5", "/gpus/3: 8.5 is not a GPU count; give 1 or more"},
       {"/gpus/3", "1e9", "/gpus/3: 1000000000.0 is not a GPU count; give 10000000 or fewer"},
       {"/gpus/3", "4", "/gpus/3: 4 comes after 4; give the counts in ascending order, each once"},
       {"/gpus", "[]", "/gpus: no GPU count found; give one or more"},
       {"/gpus", "4", "/gpus: 4 found, a list expected; write [...]"},
       {"/gpus", "", "/gpus: missing; give a list"},
       {"/bacth_per_gpu", "3", "/bacth_per_gpu: unknown key; did you mean \"batch_per_gpu\"?"},
       {"/batch_per_gpu", "0", "/batch_per_gpu: 0 found; give a number above 0, without quotes or unit"},
       {"/model", "\"resnet50\"",
        "/model: \"resnet50\" leaves open which variant is meant; give one of resnet50_v1, resnet50_v1.5, resnet50_v2"},
       {"/precision", "\"fp64\"", "/precision: \"fp64\" found; give one of fp32, tf32, amp, fp16, bf16"},
       {"/strategies", "[]", "/strategies: no strategy found; give one or more"},
       {"/strategies/1", "{\"name\": \"ring\"}", "/strategies/1: ring is there twice; keep one"},
       {"/strategies/1/servers/per_node", "1.5",
        "/strategies/1/servers/per_node: 1.5 found, a whole number expected; give 1 to 1000000"},
       {"/transport", "\"ib\"", "/transport: \"ib\" found; give one of nccl-ib, nccl-tcp, mpi-ib, mpi-tcp, grpc, shm"},
       {"/efficiency_bound", "80", "/efficiency_bound: 80 is out of range; give a share, 0 to 1: 0.8 is 80 %"},
       {"/seed", "-1", "/seed: -1 is out of range; give 0 or more"},
       {"/samples", "0", "/samples: 0 is out of range; give 1 to 100000"},
       {"/rank_mapping", "\"random\"", "/rank_mapping: \"random\" found; give one of fill-nodes"}},
      [](const auto& file) { read_scenario(file); });
}

TEST_CASE("all mistakes of a file are told at once") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["gpus"] = {0, "x"};
  json["strategies"][0]["name"] = "rings";
  json["cluster"] = "";
  json["sede"] = 1;
  const auto file = folder.write("a.json", json.dump());
  CHECK(ddlsim_test::mistakes_of(file, [&] { read_scenario(file); }).size() == 5);
}
