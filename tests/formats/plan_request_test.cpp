#include "sim/formats/plan_request.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using ddlsim::read_plan_request;

TEST_CASE("a plan request is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto request = read_plan_request(folder.write("a.json", ddlsim_test::sample_plan_request().dump()));
  CHECK(request.name == "tiny-plan");
  CHECK(request.workload.model == "tiny");
  CHECK(request.workload.samples == 1e6);
  CHECK(request.workload.epochs == 3);
  CHECK(request.workload.evaluation_samples == 5e4);
  CHECK(request.goal == ddlsim::PlanGoal::energy);
  CHECK(request.limits.deadline_s == 3600);
  CHECK(request.limits.budget_usd == 100);
  CHECK(request.limits.power_w == 5000);
  CHECK(request.limits.nodes == 4);
  CHECK(request.limits.chance == 0.8);
  CHECK(request.failures.node_mtbf_s == 3.6e6);
  CHECK(request.failures.checkpoint_s == 10);
  CHECK(request.failures.restart_s == 0);
  CHECK(request.energy.usd_per_kwh == 0.2);
  CHECK(request.energy.pue == 1.3);
  REQUIRE(request.candidates.size() == 3);
  CHECK(request.candidates[0].name == "iris");
  CHECK(request.candidates[0].gpus.empty());
  CHECK(request.candidates[0].batch_per_gpu == 64);
  CHECK(request.candidates[0].price->kind == ddlsim::PriceKind::on_demand);
  CHECK(request.candidates[0].price->usd == 12.5);
  CHECK(request.candidates[0].network_Bps == 0);
  CHECK(request.candidates[1].batch_per_gpu == 32);
  CHECK(request.candidates[1].network_Bps == 25e9);
  CHECK(request.candidates[1].price->kind == ddlsim::PriceKind::purchase);
  CHECK(request.candidates[1].price->years == 4);
  CHECK(request.candidates[2].price->kind == ddlsim::PriceKind::owned);
  CHECK(request.seed == 3);
  CHECK(request.samples == 60);
}

TEST_CASE("what a plan request leaves out: least cost by a deadline, least time within a budget") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_plan_request();
  for (const char* key : {"goal", "failures", "energy", "seed", "samples"}) json.erase(key);
  json["limits"] = {{"deadline", "1 h"}};
  CHECK(read_plan_request(folder.write("a.json", json.dump())).goal == ddlsim::PlanGoal::cost);
  json["limits"] = {{"budget", "10 USD"}};
  const auto request = read_plan_request(folder.write("b.json", json.dump()));
  CHECK(request.goal == ddlsim::PlanGoal::time);
  CHECK(request.failures.node_mtbf_s == 0);
  CHECK(request.limits.chance == 0.9);
  CHECK(request.samples == 200);
}

TEST_CASE("a plan request by convergence, with storage, spares and the usual rate of failures") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_plan_request();
  json["workload"] = {{"model", "tiny"},
                      {"convergence", "tiny-set"},
                      {"batch_per_gpu", 8},
                      {"precision", "fp32"},
                      {"start_up", "5 min"}};
  json["failures"] = {{"storage", "2 GB/s"}, {"repair", "24 h"}, {"spare_nodes", 2}};
  json["workload"]["input"] = {{"dataset", "pictures"}, {"storage", "nfs"}, {"loader", "by-core"}};
  json["candidates"][0]["cores_per_node"] = 40;
  const auto request = read_plan_request(folder.write("a.json", json.dump()));
  CHECK(request.workload.convergence == "tiny-set");
  CHECK(request.workload.input_names.storage == "nfs");
  CHECK(request.candidates[0].cores_per_node == 40);
  CHECK(request.workload.epochs == 0);
  CHECK(request.workload.start_up_s == 300);
  CHECK(request.failures.node_mtbf_s == Approx(6334.7 * 3600).epsilon(1e-4)); // 54 d x 24 h x 2048 nodes / 419
  CHECK(request.failures.storage_Bps == 2e9);
  CHECK(request.failures.bytes_per_parameter == 12);
  CHECK(request.failures.repair_s == 86'400);
  CHECK(request.failures.spare_nodes == 2);
}

TEST_CASE("a plan request by tokens, with a slow node") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_plan_request();
  json["workload"].erase("samples");
  json["workload"].erase("epochs");
  json["workload"]["tokens"] = 3e11;
  json["slow_node"] = {{"compute_factor", 1.25}};
  const auto request = read_plan_request(folder.write("a.json", json.dump()));
  CHECK(request.workload.tokens == 3e11);
  CHECK(request.workload.epochs == 0);
  CHECK(request.slow_node.compute_factor == 1.25);
  CHECK(request.slow_node.network_factor == 1);
}

TEST_CASE("mistakes in a plan request") {
  const auto read = [](const std::filesystem::path& file) { read_plan_request(file); };
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_plan_request(),
      {
          {"/workload/epochs", "0", "/workload/epochs: 0 found; give a number above 0, without quotes or unit"},
          {"/workload/model", "\"resnet50\"",
           "/workload/model: \"resnet50\" leaves open which variant is meant; give one of resnet50_v1, resnet50_v1.5, "
           "resnet50_v2"},
          {"/limits/deadline", "\"1 moon\"",
           "/limits/deadline: \"1 moon\" has an unknown unit; known here: ns, us, ms, s, min, h, d, weeks, years"},
          {"/limits/chance", "1", "/limits/chance: 1 is out of range; give 0.5 to 0.99"},
          {"/goal", "\"money\"", "/goal: \"money\" found; give one of cost, time, energy"},
          {"/workload/convergence", "\"tiny-set\"",
           "/workload: \"convergence\" gives samples and epochs; give it alone, or those two"},
          {"/workload/tokens", "1e9",
           "/workload: \"tokens\" are those of the whole training; give them alone, or \"samples\" and \"epochs\""},
          {"/slow_node", R"({"compute_factor": 0.5})",
           "/slow_node/compute_factor: 0.5 is out of range; give 1 to 1000"},
          {"/failures/checkpoint", "",
           "/failures: give one of \"checkpoint\" (the time to write one) and \"storage\" (the rate it is written at)"},
          {"/failures/bytes_per_parameter", "8",
           "/failures: \"bytes_per_parameter\" goes with \"storage\"; drop it, or give that in place of "
           "\"checkpoint\""},
          {"/failures/spare_nodes", "1",
           "/failures: spare nodes wait while failed ones are repaired; give \"repair\", like \"24 h\""},
          {"/candidates/0/cores_per_node", "4",
           "/candidates/0/cores_per_node: the workload's \"input\" names no loader; name one there, or drop this"},
          {"/workload/input", R"({"storage": "nfs"})",
           "/workload/input/bytes_per_sample: missing; give the size of a stored sample, like \"110 KB\", or the name "
           "of "
           "a \"dataset\""},
          {"/energy/pue", "0.9", "/energy/pue: 0.9 is out of range; give 1 to 10"},
          {"/candidates", "[]", "/candidates: none found; give one or more"},
          {"/candidates/1/name", "\"iris\"",
           "/candidates/1/name: iris is there twice; give each candidate a name of its own"},
          {"/candidates/1/price/years", "", "/candidates/1/price/years: missing; give a number above 0"},
          {"/candidates/0/price/years", "3",
           "/candidates/0/price/years: has no meaning with \"kind\": \"on-demand\"; leave it out, or give \"kind\": "
           "\"purchase\""},
          {"/samples", "10", "/samples: 10 is out of range; give 40 to 10000"},
          {"/workload/global_batch", "512",
           "/workload: give one of \"batch_per_gpu\" (the same on every GPU) and \"global_batch\" (of all GPUs "
           "together)"},
          {"/candidates/0/gpus", "[4, 2]",
           "/candidates/0/gpus/1: 2 comes after 4; give the counts in ascending order, each once"},
      },
      read);
}
