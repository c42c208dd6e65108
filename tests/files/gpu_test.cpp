#include "sim/files/gpu.hpp"
#include "tests/files/sample_files.hpp"

#include <catch2/catch.hpp>

using ddlsim::find_gpu;
using ddlsim::read_gpus;

TEST_CASE("the catalogue is read, and found in by name and alias") {
  const ddlsim_test::TemporaryFolder folder;
  const auto gpus = read_gpus(folder.write("gpus.json", ddlsim_test::sample_gpus().dump()));
  REQUIRE(gpus.size() == 2);
  const auto& gpu = find_gpu(gpus, "V100");
  CHECK(&gpu == &find_gpu(gpus, "V100-SXM2-16GB"));
  CHECK(gpu.year == 2017);
  CHECK(gpu.peak_flop_per_s.at("fp32") == 15.7e12);
  CHECK(gpu.memory_bandwidth_Bps == 900e9);
  CHECK(gpu.memory_bytes == 16e9);
  CHECK(gpu.power_w == 300);
  CHECK(gpu.price_usd == 0);
  CHECK(gpu.sources.at("power") == "ibid.");
  CHECK_THROWS_WITH(find_gpu(gpus, "V10"),
                    "no GPU is called \"V10\"; did you mean V100? there are: V100-SXM2-16GB, K80");
}

TEST_CASE("what is wrong with the catalogue is told") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_gpus(),
      {{"/gpus/1/sources/memory", "", "/gpus/1/sources/memory: missing; say where the figure of \"memory\" stands"},
       {"/gpus/0/power", "",
        "/gpus/0/sources/power: a source for a figure that is not there; remove it, or give the figure"},
       {"/gpus/1/name", "\"V100\"", "/gpus/1: the name \"V100\" is taken; every name and alias stands once"},
       {"/gpus/1/peak/fp32", "", "/gpus/1/peak/fp32: missing; give the fp32 peak, like \"15.7 TFLOP/s\""},
       {"/gpus/1/peak/fp23", "\"1 TFLOP/s\"", "/gpus/1/peak/fp23: unknown key; did you mean \"fp32\"?"},
       {"/gpus/1/memory_bandwidth", "\"240 GBps\"",
        "/gpus/1/memory_bandwidth: \"240 GBps\" has an unknown unit; known here: B/s, KB/s, MB/s, GB/s, TB/s, bps, "
        "Kbps, "
        "Mbps, Gbps, Tbps, MiB/s, GiB/s; write GB/s (bytes) or Gbps (bits)"},
       {"/gpus/1/memory", "12",
        "/gpus/1/memory: 12 found, a quantity with its unit expected; write a text like \"16 GiB\""},
       {"/gpus/1/year", "1999", "/gpus/1/year: 1999 is out of range; give 2006 to 2100"},
       {"/gpus/1/sources", "", "/gpus/1/sources: missing; give an object or a list"}},
      [](const auto& file) { read_gpus(file); });
}
