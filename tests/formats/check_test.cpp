#include "sim/formats/check.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::check_file;
using Lines = std::vector<std::string>;

namespace {

struct Sample {
  Sample() : data{folder.path()} { write_sample_data(folder); }

  Lines reported(const std::string& name, const std::string& content) const {
    const auto file = folder.write(name, content);
    return ddlsim_test::mistakes_of(file, [&] { check_file(file, data); });
  }
  Lines reported(const std::string& name, const nlohmann::json& good, const ddlsim_test::BrokenFile& spoilt) const {
    return reported(name, ddlsim_test::spoil(good, spoilt).dump());
  }

  ddlsim_test::TemporaryFolder folder;
  ddlsim::DataFolder data;
};

} // namespace

TEST_CASE("every format is known by its file, and summed up in a line") {
  const Sample sample;
  const auto says = [&](const char* name) { return check_file(sample.folder.path() / name, sample.data); };
  CHECK(says("scenarios/models/tiny.json") == "model tiny: 2 layers, 2 tensors, 14 parameters");
  CHECK(says("platforms/gpus.json") == "GPUs: 2: V100-SXM2-16GB, K80");
  CHECK(says("platforms/iris/cluster.json") ==
        "cluster iris: 24 nodes of 4 x V100-SXM2-16GB, fat-tree, transports nccl-ib, shm");
  CHECK(says("platforms/iris/measurements/all.jsonl") ==
        "measurements of iris: 8 records (1 collective, 1 input, 1 layers, 1 loss, 1 point_to_point, 1 server, 1 "
        "speed_up, 1 step)");
  CHECK(says("platforms/priors.json") == "priors: 5 expected, 1 sites");
  CHECK(says("scenarios/presets.json") == "presets: 3: pytorch-ddp, horovod, mxnet-kvstore");
  CHECK(says("platforms/kernels/v100.json") ==
        "kernels of V100-SXM2-16GB: 1 tables of products, 1 of attention, 8 rows; note: /attention/0: the catalogue "
        "has no "
        "peak rate for bf16 of V100-SXM2-16GB, so the table is not used; add it to platforms/gpus.json");
  CHECK(says("platforms/kernel-rates.json") == "kernel rates: 2 GPUs");
  CHECK(says("scenarios/convergence/tiny-set.json") == "convergence tiny-set: tiny, 3 batches");
  CHECK(says("scenarios/inputs.json") == "inputs: 1 data sets, 2 storages, 2 formats, 2 loaders");
  CHECK(says("scenarios/tiny-iris.json") == "scenario tiny-iris: tiny on iris, 4 GPU counts, 2 strategies");
}

TEST_CASE("records are known by their first line, whatever the file is called") {
  const Sample sample;
  CHECK(sample.reported("records.txt", ddlsim_test::sample_measurements()).empty());
  CHECK(sample.reported("records.txt", ddlsim_test::sample_record("step").dump()) ==
        Lines{":1: a context record is expected first (`ddlsim schema measurement`)"});
  CHECK(sample.reported("records.jsonl", "") ==
        Lines{"the file is empty; a context record is expected first (`ddlsim schema measurement`)"});
}

TEST_CASE("what is of no known format is reported with the formats there are") {
  const Sample sample;
  const std::string formats = "ddlsim-calibration, ddlsim-cluster, ddlsim-convergence, ddlsim-gpus, ddlsim-inputs, "
                              "ddlsim-kernel-rates, ddlsim-kernels, "
                              "ddlsim-model, ddlsim-plan-request, ddlsim-presets, ddlsim-priors, ddlsim-scenario";
  CHECK(sample.reported("a.json", "{\"format\": \"ddlsim-modell\"}") ==
        Lines{"/format: \"ddlsim-modell\" found, one of " + formats + " expected; did you mean \"ddlsim-model\"?"});
  CHECK(sample.reported("a.json", "{}") == Lines{"/format: missing; give one of " + formats});
  CHECK(sample.reported("a.json", "[]") == Lines{"a list of 0 found, an object expected; write {...}"});
  CHECK(sample.reported("a.json", "") ==
        Lines{"the file is empty; a JSON object is expected (`ddlsim schema --help` names the kinds)"});
  CHECK(sample.reported("a.json", "{\"format\": \"ddlsim-model\"") ==
        Lines{"the text ends too early, at line 1, column 26: expected '}'; is the file truncated?"});
}

TEST_CASE("names in a scenario are looked up") {
  const Sample sample;
  const auto reported = [&](const ddlsim_test::BrokenFile& spoilt) {
    return sample.reported("a.json", ddlsim_test::sample_scenario(), spoilt);
  };
  CHECK(reported({"/model", "\"tinny\"", ""}) ==
        Lines{"/model: no model is called \"tinny\"; did you mean tiny? there are: "
              "tiny"});
  CHECK(reported({"/model", "\"resnet50\"", ""}) ==
        Lines{"/model: \"resnet50\" leaves open which variant is meant; give one of resnet50_v1, resnet50_v1.5, "
              "resnet50_v2"});
  CHECK(reported({"/cluster", "\"isis\"", ""}) ==
        Lines{"/cluster: no cluster is called \"isis\"; did you mean iris? there are: iris"});
  CHECK(reported({"/preset", "\"ddp\"", ""}) ==
        Lines{"/preset: no preset is called \"ddp\"; there are: pytorch-ddp, horovod, mxnet-kvstore, unnamed"});
  CHECK(reported({"/transport", "\"grpc\"", ""}) ==
        Lines{"/transport: no transport of cluster iris is called \"grpc\"; there are: nccl-ib, shm"});
  auto no_transport = ddlsim_test::sample_scenario();
  no_transport.erase("transport");
  CHECK(sample.reported("a.json", no_transport.dump()).empty());
  no_transport["preset"] = "horovod"; // only mpi-ib
  CHECK(sample.reported("a.json", no_transport.dump()) ==
        Lines{"/preset: horovod uses mpi-ib, cluster iris has nccl-ib, shm; choose another preset or cluster"});
}

TEST_CASE("presets and transports of strategies are looked up, all at once") {
  const Sample sample;
  const auto reported = [&](const ddlsim_test::BrokenFile& spoilt) {
    return sample.reported("a.json", ddlsim_test::sample_two_stacks(), spoilt);
  };
  CHECK(sample.reported("a.json", ddlsim_test::sample_two_stacks().dump()).empty());
  CHECK(reported({"/strategies/2/preset", "\"mxnet-kvstor\"", ""}) ==
        Lines{"/strategies/2/preset: no preset is called \"mxnet-kvstor\"; did you mean mxnet-kvstore? there are: "
              "pytorch-ddp, horovod, mxnet-kvstore, unnamed"});
  CHECK(reported({"/strategies/0/transport", "\"nccl-tcp\"", ""}) ==
        Lines{"/strategies/0/transport: no transport of cluster iris is called \"nccl-tcp\"; there are: nccl-ib, "
              "shm"});
  CHECK(reported({"/strategies/2/transport", "", ""}) ==
        Lines{"/strategies/2/preset: mxnet-kvstore uses grpc, cluster iris has nccl-ib, shm; choose another preset or "
              "cluster"});
  auto many = ddlsim_test::sample_two_stacks();
  many["strategies"][0]["preset"] = "ddp";
  many["strategies"][1]["transport"] = "grpc";
  many["preset"] = "horrovod";
  CHECK(sample.reported("a.json", many.dump()).size() == 3);
  many["cluster"] = "isis"; // no transport can be looked up
  CHECK(sample.reported("a.json", many.dump()).size() == 3);
}

TEST_CASE("mistakes of a file and of its names are reported together") {
  const Sample sample;
  auto scenario = ddlsim_test::sample_scenario();
  scenario["gpus"] = {0};
  scenario["model"] = "tinny";
  CHECK(sample.reported("a.json", scenario.dump()).size() == 2);
}

TEST_CASE("a name in a broken file is reported as such") {
  const Sample sample;
  sample.folder.write("scenarios/presets.json", "{");
  const auto reported = sample.reported("a.json", ddlsim_test::sample_scenario().dump());
  REQUIRE(reported.size() == 1);
  CHECK_THAT(reported[0],
             Catch::StartsWith("/preset: cannot be looked up: ") && Catch::Contains("presets.json: the text ends"));
}

TEST_CASE("names in a cluster are looked up") {
  const Sample sample;
  const auto reported = [&](const ddlsim_test::BrokenFile& spoilt) {
    return sample.reported("platforms/iris/cluster.json", ddlsim_test::sample_cluster(), spoilt);
  };
  CHECK(reported({"/node/gpu", "\"V10\"", ""}) ==
        Lines{"/node/gpu: no GPU is called \"V10\"; did you mean V100? there are: V100-SXM2-16GB, K80"});
  CHECK(reported({"/node/gpu", "\"V100\"", ""}).empty()); // an alias
  CHECK(reported({"/borrows/0/cluster", "\"isis\"", ""}) ==
        Lines{"/borrows: no cluster is called \"isis\"; did you mean iris? there are: iris"});
  CHECK(reported({"/name", "\"isis\"", ""}) ==
        Lines{"/name: \"isis\" found, \"iris\" expected after the folder; rename one"});
}

TEST_CASE("a calibration is summed up, and stands in its cluster's folder") {
  const Sample sample;
  ddlsim::Calibration calibration;
  calibration.cluster = "iris";
  calibration.version = "0.1.0";
  const auto text = [&] { return calibration_json(calibration); };
  const auto file = sample.folder.write("platforms/iris/calibration.json", text());
  CHECK(check_file(file, sample.data) == "calibration of iris: 0 of 0 parameters learnt from 0 points of 0 series");
  CHECK(sample.reported("other/calibration.json", text()) ==
        Lines{"/cluster: \"iris\" found, \"other\" expected after the folder; rename one"});
  calibration.cluster = "isis";
  CHECK(sample.reported("platforms/iris/calibration.json", text()) ==
        Lines{"/cluster: no cluster is called \"isis\"; did you mean iris? there are: iris"});
}

TEST_CASE("names in records are looked up") {
  const Sample sample;
  const std::string context = ddlsim_test::sample_context().dump() + "\n";
  CHECK(sample.reported("a.jsonl", ddlsim_test::sample_context(), {"/cluster", "\"isis\"", ""}) ==
        Lines{":1: /cluster: no cluster is called \"isis\"; did you mean iris? there are: iris"});
  CHECK(sample.reported("a.jsonl", ddlsim_test::sample_context(), {"/gpu", "\"K8\"", ""}) ==
        Lines{":1: /gpu: no GPU is called \"K8\"; did you mean K80? there are: V100-SXM2-16GB, K80"});
  auto record = ddlsim_test::sample_record("step");
  record["gpu"] = "K8";
  CHECK(sample.reported("a.jsonl", context + record.dump()) ==
        Lines{":2: /gpu: no GPU is called \"K8\"; did you mean K80? there are: V100-SXM2-16GB, K80"});
}

TEST_CASE("names in priors are looked up") {
  const Sample sample;
  const auto reported = [&](const ddlsim_test::BrokenFile& spoilt) {
    return sample.reported("a.json", ddlsim_test::sample_priors(), spoilt);
  };
  CHECK(reported({"/expected/1/shaped_by/0", "\"isis\"", ""}) ==
        Lines{"/expected/1/shaped_by: no site is called \"isis\"; did you mean iris? there are: iris"});
  CHECK(reported({"/sites/0/site", "\"isis\"", ""}) ==
        Lines{"/sites/0/site: no site is called \"isis\"; did you mean iris? there are: iris"});
  CHECK(reported({"/expected/2/preset", "\"horrovod\"", ""}) ==
        Lines{"/expected/2/preset: no preset is called \"horrovod\"; did you mean horovod? there are: pytorch-ddp, "
              "horovod, "
              "mxnet-kvstore, unnamed"});
}

TEST_CASE("the convergence of a plan request is looked up, and must have trained its model") {
  const Sample sample;
  auto request = ddlsim_test::sample_plan_request();
  request["workload"].erase("samples");
  request["workload"].erase("epochs");
  const auto reported = [&](const char* convergence) {
    request["workload"]["convergence"] = convergence;
    return sample.reported("a.json", request.dump());
  };
  CHECK(reported("tiny-set").empty());
  CHECK(reported("tiny-sett") == Lines{"/workload/convergence: no convergence is called \"tiny-sett\"; did you mean "
                                       "tiny-set? there are: tiny-set"});
  sample.folder.write("scenarios/models/small.json",
                      ddlsim_test::spoil(ddlsim_test::sample_model(), {"/name", "\"small\"", ""}).dump());
  request["workload"]["model"] = "small";
  CHECK(reported("tiny-set") ==
        Lines{"/workload/convergence: the runs of tiny-set trained tiny, not small; give epochs in its place"});
}

TEST_CASE("names of a scenario's input are looked up, all at once") {
  const Sample sample;
  auto scenario = ddlsim_test::sample_named_input();
  CHECK(sample.reported("a.json", scenario.dump()).empty());
  scenario["input"]["storage"] = "nsf";
  scenario["input"]["loader"] = "by-cores";
  CHECK(sample.reported("a.json", scenario.dump()) ==
        Lines{"/input/storage: no storage is called \"nsf\"; did you mean nfs? there are: disk, nfs",
              "/input/loader: no loader is called \"by-cores\"; did you mean by-core? there are: by-core, by-gpu"});
}

TEST_CASE("clusters that shaped named input are looked up") {
  const Sample sample;
  CHECK(sample.reported("a.json", ddlsim_test::sample_inputs(), {"/loaders/0/shaped_by", "[\"irris\"]", ""}) ==
        Lines{"/loaders/0/shaped_by: no cluster is called \"irris\"; did you mean iris? there are: iris"});
}

TEST_CASE("GPUs of kernel tables and rates are looked up, with any letters in their names") {
  const Sample sample;
  const std::string hostile = "\"V\\u001b[2J<b>100\\n\"";
  const auto tables = sample.reported("a.json", ddlsim_test::sample_kernels(), {"/gpu", hostile, ""});
  REQUIRE(tables.size() == 1);
  CHECK_THAT(tables[0],
             Catch::StartsWith("/gpu: no GPU is called") && !Catch::Contains("\x1b") && !Catch::Contains("\n"));
  const auto rates = sample.reported("a.json", ddlsim_test::sample_kernel_rates(), {"/gpus/1/gpu", hostile, ""});
  REQUIRE(rates.size() == 1);
  CHECK_THAT(rates[0], Catch::StartsWith("/gpus/1/gpu: no GPU is called") && !Catch::Contains("\x1b"));
}

TEST_CASE("a convergence's file has its name, and its models are looked up") {
  const Sample sample;
  const auto reported = [&](const char* file, const ddlsim_test::BrokenFile& spoilt) {
    return sample.reported(file, ddlsim_test::sample_convergence(), spoilt);
  };
  CHECK(reported("tiny-set.json", {"/models", "[\"tinny\"]", ""}) ==
        Lines{"/models: no model is called \"tinny\"; did you mean tiny? there are: tiny"});
  CHECK(reported("tiny-set.json", {"/name", "\"other\"", ""}) ==
        Lines{"/name: \"other\" found, \"tiny-set\" expected after the file's name; rename one"});
}

TEST_CASE("a model's file has the model's name") {
  const Sample sample;
  CHECK(sample.reported("other.json", ddlsim_test::sample_model().dump()) ==
        Lines{"/name: \"tiny\" found, \"other\" expected after the file's name; rename one"});
}

namespace {

/// Campaigns and profiles are read by ddltrain, and configs of Hugging Face by import, which have tests of their own.
bool is_read_by_others(const std::filesystem::path& file) {
  const auto name = file.filename().string();
  return name == "campaign.json" || name.ends_with(".profile.json") || name.ends_with("-config.json") ||
         name == "hf-configs.json";
}

} // namespace

TEST_CASE("every shipped file keeps its format") {
  const ddlsim::DataFolder data{DDLSIM_SOURCE_DIR};
  std::size_t checked = 0;
  for (const auto& root : {data.platforms(), data.scenarios()})
    for (const auto& entry : std::filesystem::recursive_directory_iterator(root)) {
      const auto& file = entry.path();
      if (file.extension() != ".json" && file.extension() != ".jsonl") continue;
      if (is_read_by_others(file)) continue;
      INFO(file.string());
      CHECK_NOTHROW(check_file(file, data));
      ++checked;
    }
  CHECK(checked > list_clusters(data).size() + list_models(data).size());
}

TEST_CASE("a question of days is refused before it is asked") {
  const Sample sample;
  auto json = ddlsim_test::sample_scenario();
  json["gpus"] = nlohmann::json::array();
  for (int gpus = 1; gpus <= 5000; ++gpus) json["gpus"].push_back(gpus); // with two strategies
  const auto reported = [&] { return sample.reported("a.json", json.dump()); };
  CHECK(reported().empty());
  json["samples"] = 1001;
  CHECK(reported() == Lines{"/samples: 1001 samples of 10000 points are 10010000; ask 10000000 or fewer in all"});
  json["gpus"].push_back(5001);
  CHECK(reported() ==
        Lines{"/gpus: 2 strategies at 5001 GPU counts are 10002 points; ask 10000 or fewer, the others in "
              "another file"});
}
