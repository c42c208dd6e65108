#include "sim/formats/scenario.hpp"
#include "sim/formats/tf32.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

using namespace ddlsim;

namespace {

Gpu gpu_of_capability(int tenths) {
  Gpu gpu;
  gpu.compute_capability = tenths;
  return gpu;
}

Tf32Use by_default(const std::string& preset, const std::string& software) {
  return tf32_use({Precision::fp32, {}, {}, preset, software}, gpu_of_capability(80));
}

constexpr Tf32Use neither{false, false};
constexpr Tf32Use convolutions{false, true};
constexpr Tf32Use both{true, true};

} // namespace

TEST_CASE("fp32 uses TF32 where the software of that release does", "[tf32]") {
  CHECK(by_default("pytorch-ddp", "PyTorch 1.6.0") == neither);
  CHECK(by_default("pytorch-ddp", "PyTorch 1.7") == both);
  CHECK(by_default("horovod", "torch==1.11.0, CUDA 11.3") == both);
  CHECK(by_default("pytorch-ddp", "PyTorch 1.12.1") == convolutions);
  CHECK(by_default("pytorch-ddp", "LibTorch 2.11.0") == convolutions);
  CHECK(by_default("pytorch-ddp", "") == convolutions);
  CHECK(by_default("horovod", "TensorFlow 2.4.1") == both);
  CHECK(by_default("tf-replicated", "TensorFlow 1.15/2.x") == convolutions);
  CHECK(by_default("tf-mirrored", "") == both);
  CHECK(by_default("horovod", "torchvision 0.13") == convolutions);
  CHECK(by_default("mxnet", "MXNet 1.9") == convolutions);
  CHECK(by_default("ddltrain", "LibTorch 1.10") == neither);
  CHECK(by_default("pytorch-ddp", "ddltrain 0.1.0, LibTorch 2.11.0") == neither);
}

TEST_CASE("What is stated about TF32 counts before what the software does", "[tf32]") {
  const auto ampere = gpu_of_capability(86);
  CHECK(tf32_use({Precision::fp32, true, {}, "pytorch-ddp", ""}, ampere) == both);
  CHECK(tf32_use({Precision::fp32, {}, false, "pytorch-ddp", ""}, ampere) == neither);
  CHECK(tf32_use({Precision::tf32, {}, {}, "ddltrain", ""}, ampere) == both);
  CHECK(tf32_use({Precision::amp, {}, {}, "pytorch-ddp", ""}, ampere) == neither);
}

TEST_CASE("A GPU before compute capability 8.0 never uses TF32 in fp32", "[tf32]") {
  for (const int tenths : {0, 70, 75})
    CHECK(tf32_use({Precision::fp32, true, true, "tf-mirrored", ""}, gpu_of_capability(tenths)) == neither);
}

TEST_CASE("A scenario says what of fp32 uses TF32, beside fp32 alone") {
  const ddlsim_test::TemporaryFolder folder;
  auto json = ddlsim_test::sample_scenario();
  json["precision"] = "fp32";
  json["matmul_tf32"] = false;
  json["conv_tf32"] = true;
  const auto scenario = read_scenario(folder.write("a.json", json.dump()));
  CHECK(scenario.matmul_tf32 == false);
  CHECK(scenario.conv_tf32 == true);
  CHECK(nlohmann::json::parse(ddlsim::scenario_json(scenario))["conv_tf32"] == true);
  json["precision"] = "bf16";
  CHECK_THROWS_WITH(read_scenario(folder.write("b.json", json.dump())),
                    Catch::Contains("/matmul_tf32: found beside precision bf16") && Catch::Contains("/conv_tf32"));
  json["precision"] = "tf32";
  CHECK_THROWS_WITH(read_scenario(folder.write("c.json", json.dump())),
                    Catch::Contains("/matmul_tf32: false found beside precision tf32"));
}
