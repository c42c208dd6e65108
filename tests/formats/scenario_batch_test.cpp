// The batch of all GPUs, what is trained and the optimizer, as a scenario states them.

#include "sim/formats/scenario.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using ddlsim::read_scenario;

TEST_CASE("a batch is stated once, of a GPU or of all") {
  const auto global = [] {
    auto json = ddlsim_test::sample_scenario();
    json.erase("batch_per_gpu");
    json["global_batch"] = 512;
    json["strategies"] = nlohmann::json::parse(R"([{"name": "fsdp"}, {"name": "model-parallel", "pipeline": 2}])");
    json["micro_batch"] = 2;
    return json;
  }();
  const ddlsim_test::TemporaryFolder folder;
  const auto text = scenario_json(read_scenario(folder.write("a.json", global.dump())));
  const auto again = read_scenario(folder.write("b.json", text));
  CHECK(scenario_json(again) == text);
  CHECK(again.global_batch == 512);
  CHECK(again.micro_batch == 2);
  CHECK(batch_text(again) == "a global batch of 512 samples in micro-batches of 2");
  ddlsim_test::check_spoilt(
      global,
      {{"/global_batch", "",
        "/batch_per_gpu: missing; give a number above 0, or \"global_batch\" of all GPUs together"},
       {"/global_batch", "0", "/global_batch: 0 found; give a number above 0, without quotes or unit"},
       {"/batch_per_gpu", "4",
        "/global_batch: a batch is stated twice; leave all but one of \"batch_per_gpu\", "
        "\"global_batch\" and \"global_batch_tokens\" out (--set /KEY=null takes one out)"},
       {"/micro_batch", "",
        "/strategies/1/micro_batches: missing beside \"pipeline\"; give the number of micro-batches, "
        "or \"best\""},
       {"/strategies/0/micro_batches", "2",
        "/strategies/0/micro_batches: follows from the stated \"micro_batch\"; "
        "leave one of them out"},
       {"/strategies/1/tensor", "\"best\"",
        "/strategies/1: its layout is searched, and the micro-batches with it; leave "
        "\"micro_batch\" out"}},
      [](const auto& file) { read_scenario(file); });
}

TEST_CASE("what is trained, and by which optimizer") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["train"] = {{"lora_rank", 16}, {"targets", {"q_proj", "v_proj"}}};
  json["document_tokens"] = 512;
  const auto text = scenario_json(read_scenario(folder.write("a.json", json.dump())));
  const auto again = read_scenario(folder.write("b.json", text));
  CHECK(again.train == ddlsim::TrainedPart{16, {"q_proj", "v_proj"}, {}});
  CHECK(training_text(again.train, again.document_tokens) == "LoRA 16 on q_proj, v_proj, documents of 512 tokens");
  ddlsim_test::check_spoilt(
      json,
      {{"/train/lora_rank", "0", "/train/lora_rank: 0 is out of range; give 1 to 65536"},
       {"/train/freeze", "[\"block\"]",
        "/train/freeze: all weights beside adapters are frozen; leave it out, or leave "
        "\"lora_rank\" out"},
       {"/train", "{}",
        "/train: nothing says what is trained; give \"lora_rank\" or \"freeze\", or leave \"train\" out"},
       {"/optimizer", "\"muon\"",
        "/strategies/1: no GPU updates parameters here, so that \"optimizer\" "
        "says nothing; leave it out, or this strategy"}},
      [](const auto& file) { read_scenario(file); });
}
