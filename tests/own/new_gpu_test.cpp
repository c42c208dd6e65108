#include "own/new_gpu.hpp"
#include "sim/base/error.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/own_files.hpp"
#include "tests/base/temporary_folder.hpp"

#include <catch2/catch.hpp>

namespace {

const ddlsim::DataFolder shipped_for_gpus{DDLSIM_SOURCE_DIR};

ddlsim::Gpu read_new_gpu(const ddlsim::GpuRequest& request) {
  const ddlsim_test::TemporaryFolder folder;
  const auto file = folder.write(request.name + ".json", new_gpu(request, shipped_for_gpus).text);
  check_file(file, shipped_for_gpus);
  return find_gpu(load_gpus(with_own_gpu(shipped_for_gpus, file)), request.name);
}

std::string refused_gpu(const ddlsim::GpuRequest& request) {
  try {
    new_gpu(request, shipped_for_gpus);
  } catch (const ddlsim::UserError& error) {
    return error.what();
  }
  return "";
}

} // namespace

TEST_CASE("a GPU like another has what is stated, and the other's figures for the rest") {
  ddlsim::GpuRequest request;
  request.name = "custom";
  request.like = "h100";
  request.peaks = {{"bf16", "494.5 TFLOPS"}};
  request.memory = "64 GB";
  const auto gpu = read_new_gpu(request);
  const auto like = find_gpu(load_gpus(shipped_for_gpus), "H100-SXM5-80GB");
  using ddlsim::ArithmeticUnit;
  CHECK(gpu.peak_flop_per_s.at(ArithmeticUnit::bf16_tensor) == 494.5e12);
  CHECK(gpu.peak_flop_per_s.at(ArithmeticUnit::fp16_tensor) == 494.5e12);
  CHECK(gpu.peak_flop_per_s.at(ArithmeticUnit::fp8_tensor) ==
        Approx(like.peak_flop_per_s.at(ArithmeticUnit::fp8_tensor) / 2).epsilon(1e-3));
  CHECK(gpu.peak_flop_per_s.at(ArithmeticUnit::fp32) == like.peak_flop_per_s.at(ArithmeticUnit::fp32));
  CHECK(gpu.memory_bytes == 64e9);
  CHECK(gpu.memory_bandwidth_Bps == like.memory_bandwidth_Bps);
  CHECK(gpu.power_w == like.power_w);
  CHECK(gpu.price_usd == 0); // another's price is no guess at this one's
  CHECK(gpu.links.bandwidth_Bps == like.links.bandwidth_Bps);
  CHECK(gpu.sources.at("memory") == "stated by the user");
  CHECK(gpu.sources.at("memory_bandwidth") == "not stated; assumed: as H100-SXM5-80GB has it");
  CHECK_THAT(new_gpu(request, shipped_for_gpus).notes.front(), Catch::Contains("taken for H100-SXM5-80GB"));
}

TEST_CASE("a GPU like none is stated whole") {
  ddlsim::GpuRequest request;
  request.name = "chip-1";
  request.peaks = {{"fp32", "50 TFLOP/s"}, {"bf16", "900 TFLOP/s"}};
  request.memory = "128 GB";
  request.bandwidth = "4 TB/s";
  request.year = 2026;
  CHECK(read_new_gpu(request).memory_bandwidth_Bps == 4e12);
  request = {};
  request.name = "chip-1";
  const auto said = refused_gpu(request);
  for (const char* option : {"--fp32: missing", "--memory: missing", "--bandwidth: missing", "--year: missing"})
    CHECK_THAT(said, Catch::Contains(option));
}

TEST_CASE("what makes no GPU is refused at its option, hostile names too") {
  ddlsim::GpuRequest request;
  request.name = "NVIDIA-H100";
  request.like = "h1OO";
  request.memory = "94 gb";
  request.bandwidth = "900 G";
  request.power = "0 W";
  const auto said = refused_gpu(request);
  CHECK_THAT(said, Catch::Contains("NAME: \"NVIDIA-H100\" means H100-SXM5-80GB of the catalogue"));
  CHECK_THAT(said, Catch::Contains("--like: ") && Catch::Contains("--memory: ") && Catch::Contains("--power: \"0 W\""));
  CHECK_THAT(said, Catch::Contains("--bandwidth: ") && Catch::Contains("write GB/s (bytes) or Gb/s (bits)"));
  for (const char* name : {"", ".", "a/b", "\x1b[31m", "a\nb", "\xff"}) {
    request = {};
    request.name = name;
    request.like = "H100";
    INFO(name);
    CHECK_THAT(refused_gpu(request), Catch::Contains("name") && !Catch::Contains("\x1b"));
  }
}
