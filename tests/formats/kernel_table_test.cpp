#include "sim/base/error.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/kernel_table.hpp"
#include "sim/formats/kernel_table_checks.hpp"
#include "tests/formats/sample_files.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

using Catch::Contains;
using Catch::StartsWith;

/// 100 TFLOP/s in 16 bits, 1 TB/s.
Gpu round_gpu() {
  Gpu gpu;
  gpu.name = "round";
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 10e12}, {ArithmeticUnit::fp16_tensor, 100e12}};
  gpu.memory_bandwidth_Bps = 1e12;
  return gpu;
}

/// Products of 2 GFLOP at these shares of the peak, whose times are in a unit of that many seconds.
GpuKernelTables table_at(const std::vector<double>& shares, double unit_s) {
  GpuKernelTables tables;
  tables.gpu = "round";
  tables.products.push_back({KernelPrecision::bf16, {"a", "b", "c", unit_s}, {}});
  for (const double share : shares)
    tables.products[0].rows.push_back({1000, 1000, 1000, 2e9 / 100e12 / share / unit_s});
  return tables;
}

} // namespace

TEST_CASE("a kernel file is read") {
  const ddlsim_test::TemporaryFolder folder;
  const auto tables = read_gpu_kernels(folder.write("a.json", ddlsim_test::sample_kernels().dump()));
  CHECK(tables.gpu == "V100-SXM2-16GB");
  CHECK(tables.source.commit == "0123abc");
  REQUIRE(tables.products.size() == 1);
  CHECK(tables.products[0].precision == KernelPrecision::fp32);
  CHECK(tables.products[0].head.unit_s == 1e-6);
  REQUIRE(tables.products[0].rows.size() == 6);
  CHECK(tables.products[0].rows[1].n == 2048);
  CHECK(tables.products[0].rows[1].time == 400.5);
  REQUIRE(tables.attention.size() == 1);
  CHECK(tables.attention[0].head.unit_s == 1e-3);
  CHECK(tables.attention[0].rows[0].kv_heads == 2);
  CHECK(tables.attention[0].rows[0].head_size == 64);
}

TEST_CASE("mistakes in a kernel file") {
  ddlsim_test::check_spoilt(
      ddlsim_test::sample_kernels(),
      {
          {"/gpu", "", "/gpu: missing; give a text"},
          {"/source/commit", "", "/source/commit: missing; give a text"},
          {"/source/date", "\"soon\"", "/source/date: \"soon\" is not a date; give 2024, 2024-05 or 2024-05-17"},
          {"/products/0/precision", "\"fp9\"",
           "/products/0/precision: \"fp9\" found, one of fp32, tf32, bf16, fp8, fp8-block, nvfp4 expected; did you "
           "mean "
           "\"fp8\"?"},
          {"/products/0/unit", "\"h\"",
           "/products/0/unit: \"h\" found, one of us, ms, s expected; did you mean \"s\"?"},
          {"/products/0/rows", "[]", "/products/0/rows: none found; give one or more"},
          {"/products/0/rows/0", "[1, 2, 3]", "/products/0/rows/0: 3 found; give 4"},
          {"/products/0/rows/0/3", "0", "/products/0/rows/0/3: 0 found; give a number above 0, without quotes or unit"},
          {"/attention/0/rows/0/3", "8",
           "/attention/0/rows/0: 8 key heads found for 4 query heads; give at most as many"},
      },
      [](const std::filesystem::path& file) { read_gpu_kernels(file); });
}

TEST_CASE("rows within the peak are used, in seconds") {
  const auto kept = plausible_kernels(table_at({0.5, 0.9, 1}, 1e-6), round_gpu());
  CHECK(kept.notes.empty());
  REQUIRE(kept.tables.products[0].rows.size() == 3);
  CHECK(kept.tables.products[0].rows[0].time == Approx(40e-6));
  CHECK(kept.tables.products[0].head.unit_s == 1);
}

TEST_CASE("a row that is faster than the peak is said and not used") {
  const auto kept = plausible_kernels(table_at({0.5, 0.9, 2, 0.7}, 1e-6), round_gpu());
  CHECK(kept.tables.products[0].rows.size() == 3);
  REQUIRE(kept.notes.size() == 1);
  CHECK(kept.notes[0] ==
        "/products/0: 1 of 4 rows are faster than the peak of round, 100 TFLOP/s for bf16 allows, row 2 "
        "by a factor 2; they are not used");
}

TEST_CASE("times in ms that are called us, and in us that are called ms") {
  auto tables = table_at({0.5, 0.6, 0.7}, 1e-3);
  tables.products[0].head.unit_s = 1e-6;
  const auto short_times = plausible_kernels(tables, round_gpu());
  CHECK(short_times.tables.products[0].rows.empty());
  REQUIRE(short_times.notes.size() == 1);
  CHECK_THAT(short_times.notes[0],
             StartsWith("/products/0: half of the times mean more than 600 times the peak of round") &&
                 Contains("if they are in ms or s, say so in \"unit\"; the table is not used"));
  tables = table_at({0.5, 0.6, 0.7}, 1e-6);
  tables.products[0].head.unit_s = 1e-3;
  const auto long_times = plausible_kernels(tables, round_gpu());
  CHECK(long_times.tables.products[0].rows.empty());
  REQUIRE(long_times.notes.size() == 1);
  CHECK_THAT(long_times.notes[0], Contains("mean less than 0.0006 of the peak") && Contains("if they are in us"));
}

TEST_CASE("a GPU without memory bandwidth or peak teaches nothing") {
  auto gpu = round_gpu();
  gpu.memory_bandwidth_Bps = 0;
  const auto no_memory = plausible_kernels(table_at({0.5}, 1e-6), gpu);
  CHECK(no_memory.tables.products[0].rows.empty());
  REQUIRE(no_memory.notes.size() == 1);
  CHECK_THAT(no_memory.notes[0], Contains("no memory bandwidth of round") && Contains("platforms/gpus.json"));
  auto tables = table_at({0.5}, 1e-6);
  tables.products[0].precision = KernelPrecision::fp8;
  CHECK_THAT(plausible_kernels(tables, round_gpu()).notes.at(0), Contains("no peak rate for fp8 of round"));
}

TEST_CASE("shipped kernel files have no row that cannot be") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  const auto gpus = load_gpus(data);
  const auto files = list_kernel_files(data);
  CHECK(files.size() == 9);
  for (const auto& file : files) {
    CAPTURE(file);
    const auto tables = read_gpu_kernels(file);
    CHECK(find_gpu(gpus, tables.gpu).name == tables.gpu);
    CHECK(plausible_kernels(tables, find_gpu(gpus, tables.gpu)).notes.empty());
    CHECK(std::filesystem::file_size(file) <= 60'000);
  }
}

} // namespace ddlsim
