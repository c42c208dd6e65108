#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace {

const ddlsim::DataFolder shipped_for_spelling{DDLSIM_SOURCE_DIR};

nlohmann::json typed_scenario() {
  return {{"format", "ddlsim-scenario"},
          {"version", 1},
          {"name", "q"},
          {"model", "ResNet-50 v1.5"},
          {"batch_per_gpu", 64},
          {"precision", "float32"},
          {"cluster", "Iris"},
          {"gpu", "v100"},
          {"gpus", {1, 8}},
          {"preset", "PyTorch DDP"},
          {"transport", "NCCL-IB"},
          {"strategies", {{{"name", "Ring"}}, {{"name", "ZeRO-3"}}}}};
}

} // namespace

TEST_CASE("a scenario may name things as people do") {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write("q.json", typed_scenario().dump());
  const auto scenario = read_known_scenario(file, {}, shipped_for_spelling);
  CHECK(scenario.model == "resnet50_v1.5");
  CHECK(scenario.cluster == "iris");
  CHECK(scenario.gpu == "V100-SXM2-16GB");
  CHECK(scenario.preset == "pytorch-ddp");
  CHECK(scenario.transport == "nccl-ib");
  CHECK(scenario.precision == ddlsim::Precision::fp32);
  CHECK(scenario.strategies[0].name == ddlsim::StrategyName::ring);
  CHECK(scenario.strategies[1].name == ddlsim::StrategyName::fsdp);
  REQUIRE(scenario.name_notes.size() == 1);
  CHECK_THAT(scenario.name_notes[0], Catch::Contains("\"v100\" is taken for V100-SXM2-16GB"));
  CHECK_NOTHROW(check_file(file, shipped_for_spelling));
}

TEST_CASE("What is assumed of TF32 is said, and a GPU without it is refused") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = typed_scenario();
  json["gpu"] = "A100-SXM4-40GB";
  const auto scenario = read_known_scenario(folder.write("a.json", json.dump()), {}, shipped_for_spelling);
  REQUIRE(scenario.name_notes.size() == 1);
  CHECK_THAT(scenario.name_notes[0], Catch::Contains("products in plain fp32 and convolutions in TF32"));
  json["gpu"] = "V100-SXM2-16GB";
  json["conv_tf32"] = true;
  CHECK_THROWS_WITH(read_known_scenario(folder.write("b.json", json.dump()), {}, shipped_for_spelling),
                    Catch::Contains("/conv_tf32: true found, but V100-SXM2-16GB has no TF32"));
}

TEST_CASE("precisions in others' words are ours") {
  for (const auto& [word, precision] :
       {std::pair{"bfloat16", ddlsim::Precision::bf16}, std::pair{"BF16-mixed", ddlsim::Precision::bf16},
        std::pair{"half", ddlsim::Precision::fp16}, std::pair{"fp16 mixed", ddlsim::Precision::amp},
        std::pair{"16-mixed", ddlsim::Precision::amp}, std::pair{"float32", ddlsim::Precision::fp32},
        std::pair{"TF32", ddlsim::Precision::tf32}, std::pair{"amp_bf16", ddlsim::Precision::bf16}})
    CHECK(ddlsim::value_meant<ddlsim::Precision>(word) == precision);
  CHECK_FALSE(ddlsim::value_meant<ddlsim::Precision>("16"));
  CHECK_FALSE(ddlsim::value_meant<ddlsim::WirePrecision>("fp16 mixed"));
}

TEST_CASE("a model without its sequence is taken where there is one such, and that is said") {
  const std::vector<std::string> models{"llama_2_13b_seq4096", "bert_base_seq64", "bert_base_seq128", "mpt_1b_seq2048"};
  CHECK(ddlsim::model_meant("llama-2-13b", models) == "llama_2_13b_seq4096");
  CHECK(ddlsim::model_meant("Llama-2-13b-hf", models) == "llama_2_13b_seq4096");
  CHECK(ddlsim::model_meant("BERT-base seq128", models) == "bert_base_seq128");
  CHECK(ddlsim::model_meant("bert-base", models).empty()); // two of them
  CHECK(ddlsim::model_meant("llama", models).empty());
  CHECK(ddlsim::model_meant("", models).empty());
  CHECK(ddlsim::model_meant("hf", models).empty());
  auto document = typed_scenario();
  document["model"] = "llama-2-13b";
  document["gpu"] = "";
  const auto notes = spell_as_known(document, shipped_for_spelling);
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "model \"llama-2-13b\" is taken for llama_2_13b_seq4096");
  CHECK(document["model"] == "llama_2_13b_seq4096");
}

TEST_CASE("a network in place of a transport is the one that the preset uses") {
  const std::vector<std::string> uses{"nccl-ib", "nccl-tcp", "mpi-ib", "mpi-tcp", "gloo-tcp", "grpc", "shm"};
  for (const auto& [word, name] :
       {std::pair{"InfiniBand", "nccl-ib"}, std::pair{"RoCE v2", "nccl-ib"}, std::pair{"MPI InfiniBand", "mpi-ib"},
        std::pair{"ethernet", "nccl-tcp"}, std::pair{"nccl sockets", "nccl-tcp"}, std::pair{"gloo tcp", "gloo-tcp"},
        std::pair{"GRPC", "grpc"}, std::pair{"pigeon", ""}, std::pair{"", ""}, std::pair{"grpc ib", ""}})
    CHECK(ddlsim::transport_meant(word, uses) == name);
  CHECK(ddlsim::transport_meant("ib", {"mpi-ib"}) == "mpi-ib");
  CHECK(ddlsim::transport_meant("ib", {"gloo-tcp"}).empty());
  auto document = typed_scenario();
  document["transport"] = "InfiniBand";
  document["gpu"] = "";
  const auto notes = spell_as_known(document, shipped_for_spelling);
  CHECK(document["transport"] == "nccl-ib");
  REQUIRE(notes.size() == 1);
  CHECK(notes[0] == "transport \"InfiniBand\" is taken for nccl-ib, which pytorch-ddp uses");
  document["preset"] = "tf-ps"; // gRPC
  document["transport"] = "InfiniBand";
  spell_as_known(document, shipped_for_spelling);
  CHECK(document["transport"] == "InfiniBand"); // which the reader refuses, and lists those there are
}

TEST_CASE("names that nobody knows, and paths, stay as they are") {
  auto document = typed_scenario();
  document["model"] = "./ResNet-50.json";
  document["cluster"] = "irish";
  document["gpu"] = 12;
  document["preset"] = "\x1b[31m";
  document["transport"] = "pigeon";
  const auto before = document;
  CHECK(spell_as_known(document, shipped_for_spelling).empty());
  CHECK(document == before);
  nlohmann::json deep = "iris";
  for (int i = 0; i < 1000; ++i) deep = {{"cluster", deep}};
  CHECK_NOTHROW(spell_as_known(deep, shipped_for_spelling));
}

TEST_CASE("a GPU of one's own is a file, which a scenario and a cluster name by its path") {
  const ddlsim_test::TemporaryFolder folder;
  const char* gpu = R"({"format": "ddlsim-gpus", "version": 1, "gpus": [{"name": "mine", "aliases": [], "year": 2025,
    "peak": {"fp32": "50 TFLOP/s"}, "memory_bandwidth": "3 TB/s", "memory": "94 GB",
    "sources": {"peak": "s", "memory_bandwidth": "s", "memory": "s"}}]})";
  folder.write("mine.json", gpu);
  auto document = typed_scenario();
  document["gpu"] = "./mine.json";
  const auto file = folder.write("q.json", document.dump());
  const auto scenario = read_known_scenario(file, {}, shipped_for_spelling);
  CHECK(scenario.gpu == "mine");
  const auto data = with_own_files(shipped_for_spelling, scenario);
  CHECK(find_gpu(load_gpus(data), "mine").memory_bytes == 94e9);
  CHECK_NOTHROW(check_file(file, shipped_for_spelling));
  document["gpu"] = "./no.json";
  CHECK_THROWS_WITH(read_known_scenario(folder.write("q.json", document.dump()), {}, shipped_for_spelling),
                    Catch::Contains("/gpu"));
  std::string taken(gpu);
  taken.replace(taken.find("mine"), 4, "H100");
  CHECK_THROWS_WITH(with_own_gpu(shipped_for_spelling, folder.write("H100.json", taken)),
                    Catch::Contains("means H100-SXM5-80GB of the catalogue"));
}
