#include "sim/base/error.hpp"
#include "sim/compute/kernels/kernel_book.hpp"
#include "sim/compute/kernels/kernel_fit.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "tests/compute/planted_rates.hpp"

#include <catch2/catch.hpp>

#include <cmath>

namespace ddlsim {
namespace {

using Catch::Contains;
using ddlsim_test::planted_rates;

/// Times of a grid of products by these rates, in turn longer and shorter by `noise` in ln.
std::vector<ProductTime> planted_products(const KernelRates& rates, double noise) {
  std::vector<ProductTime> rows;
  for (const double m : {256.0, 1024.0, 4096.0, 16384.0})
    for (const double n : {1024.0, 4096.0, 16384.0})
      for (const double k : {1024.0, 2048.0, 8192.0}) {
        const double sign = rows.size() % 2 == 0 ? 1 : -1;
        rows.push_back(
            {m, n, k, (matrix_product_s({m, n, k}, rates) + cast_s({m, n, k}, rates)) * std::exp(sign * noise)});
      }
  return rows;
}

std::vector<AttentionTime> planted_attention(const KernelRates& rates) {
  std::vector<AttentionTime> rows;
  for (const double tokens : {1024.0, 4096.0, 16384.0})
    for (const double heads : {8.0, 32.0})
      for (const double kv_heads : {2.0, 8.0})
        for (const double size : {64.0, 128.0}) {
          const double forward_s =
              attention_forward_s({2, tokens, heads, kv_heads, size}, AttentionKernel::flash2, rates);
          const double cache_s = 1.5 * 8 * 2 * tokens * kv_heads * size / 0.8e12;
          rows.push_back({2, tokens, heads, kv_heads, size, forward_s + cache_s});
        }
  return rows;
}

Gpu catalogue_gpu(const std::string& name, int capability) {
  Gpu gpu;
  gpu.name = name;
  gpu.compute_capability = capability;
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 10e12}, {ArithmeticUnit::fp16_tensor, 100e12}};
  gpu.memory_bandwidth_Bps = 1e12;
  return gpu;
}

/// A file of that GPU whose products reach that share of the peak.
KernelFile planted_file(const std::string& gpu, double share) {
  auto rates = planted_rates();
  rates.product.peak_share = share;
  GpuKernelTables tables;
  tables.gpu = gpu;
  tables.products = {{KernelPrecision::bf16, {"a", "b", "c", 1}, planted_products(rates, 0)}};
  tables.attention = {{{"a", "b", "c", 1}, planted_attention(rates)}};
  return {gpu + ".json", tables};
}

} // namespace

TEST_CASE("planted rates of products are found again", "[kernels]") {
  const auto truth = planted_rates();
  const auto fitted = fit_products(KernelPrecision::bf16, truth.peaks, planted_products(truth, 0));
  CHECK(fitted.rates.peak_share == Approx(0.5).epsilon(0.002));
  CHECK(fitted.rates.half_depth == Approx(100).epsilon(0.02));
  CHECK(fitted.rates.launch_s == Approx(5e-6).epsilon(0.02));
  CHECK(fitted.rates.cast_slowdown == 0);
  CHECK(fitted.error.rows == 27); // 256 tokens are of inference
  CHECK(fitted.error.p90 < 0.002);
}

TEST_CASE("noise and a few wild rows hardly move the rates of products", "[kernels]") {
  const auto truth = planted_rates();
  auto rows = planted_products(truth, 0.05);
  for (const std::size_t i : {10U, 20U, 30U}) rows[i].time *= 3;
  const auto fitted = fit_products(KernelPrecision::bf16, truth.peaks, rows);
  CHECK(fitted.rates.peak_share == Approx(0.5).epsilon(0.05));
  CHECK(fitted.error.median == Approx(0.05).margin(0.02));
}

TEST_CASE("the planted conversion of fp8 is found again", "[kernels]") {
  auto truth = planted_rates();
  truth.precision = KernelPrecision::fp8;
  truth.product.cast_slowdown = 3;
  const auto fitted = fit_products(KernelPrecision::fp8, truth.peaks, planted_products(truth, 0));
  CHECK(fitted.rates.cast_slowdown == Approx(3).epsilon(0.05));
  CHECK(fitted.rates.peak_share == Approx(0.5).epsilon(0.01));
}

TEST_CASE("planted rates of attention are found again, the cache apart", "[kernels]") {
  const auto truth = planted_rates();
  const auto fitted = fit_attention(GpuGeneration::ampere, truth.peaks, planted_attention(truth));
  CHECK(fitted.rates.peak_share == Approx(0.25).epsilon(0.01));
  CHECK(fitted.rates.padded_tokens == Approx(400).epsilon(0.05));
  CHECK(fitted.rates.share_at_size_64 == Approx(0.8).epsilon(0.01));
  CHECK(fitted.rates.cache_slowdown == Approx(1.5).epsilon(0.1));
  CHECK(fitted.rates.backward_share == 0.75);
  CHECK(fit_attention(GpuGeneration::hopper, truth.peaks, planted_attention(truth)).rates.backward_share == 0.55);
}

TEST_CASE("a book has each GPU's rates and how far others miss them", "[kernels]") {
  const std::vector<Gpu> gpus{catalogue_gpu("a", 90), catalogue_gpu("b", 90), catalogue_gpu("c", 80)};
  const auto fit = fit_kernel_book({planted_file("a", 0.5), planted_file("b", 0.6), planted_file("c", 0.9)}, gpus);
  REQUIRE(fit.book.gpus.size() == 3);
  CHECK(fit.notes.empty());
  CHECK(fit.book.gpus[1].products[0].rates.peak_share == Approx(0.6).epsilon(0.01));
  // a from b and b from a are off by ln 1.2; launches and bytes of small products dilute it
  CHECK(fit.book.by_generation.products == Approx(std::log(1.2)).epsilon(0.1));
  CHECK(fit.book.by_others.products > 0.4); // ln of 0.9 over 0.5 to 0.6
  CHECK(fit.book.by_generation.attention < 0.01);
  const auto borrowed = kernel_rates(fit.book, gpus, catalogue_gpu("d", 90), KernelPrecision::bf16);
  CHECK(borrowed.product.peak_share == Approx(0.55).epsilon(0.01));
  CHECK(borrowed.product_error == fit.book.by_generation.products);
  CHECK_THAT(kernel_book_text(fit), Contains("0.600") && Contains("by others"));
}

TEST_CASE("what a book cannot use is said", "[kernels]") {
  const std::vector<Gpu> gpus{catalogue_gpu("a", 90), catalogue_gpu("b", 90)};
  auto in_ms = planted_file("b", 0.5);
  in_ms.tables.products[0].head.unit_s = 1e-3; // the rows are in seconds
  const auto fit = fit_kernel_book({planted_file("a", 0.5), in_ms}, gpus);
  REQUIRE(fit.notes.size() == 1);
  CHECK_THAT(fit.notes[0], Contains("b.json: /products/0: half of the times mean more than"));
  CHECK(fit.book.gpus[1].products.empty());
  CHECK_THAT(kernel_book_text(fit), Contains("Note: b.json"));
  auto few = planted_file("b", 0.5);
  few.tables.products[0].rows.resize(3);
  CHECK_THAT(fit_kernel_book({planted_file("a", 0.5), few}, gpus).notes.at(0), Contains("/products/0: too few rows"));
  CHECK_THROWS_WITH(fit_kernel_book({planted_file("a", 0.5), planted_file("a", 0.6)}, gpus),
                    Contains("a has tables in a.json already"));
  CHECK_THROWS_WITH(fit_kernel_book({planted_file("z", 0.5)}, gpus), Contains("no GPU is called \"z\""));
  CHECK_THROWS_WITH(fit_kernel_book({}, gpus), Contains("no kernel table can be used"));
}

TEST_CASE("the committed rates are those of the committed tables", "[kernels]") {
  const DataFolder data{DDLSIM_SOURCE_DIR};
  std::vector<KernelFile> files;
  for (const auto& path : list_kernel_files(data)) files.push_back({path.string(), read_gpu_kernels(path)});
  const auto fitted = fit_kernel_book(files, load_gpus(data)).book;
  const auto committed = load_kernel_rates(data);
  REQUIRE(fitted.gpus.size() == committed.gpus.size());
  CHECK(fitted.by_generation.products == Approx(committed.by_generation.products).margin(0.002)); // of a rounded digit
  for (std::size_t g = 0; g < fitted.gpus.size(); ++g) {
    CAPTURE(fitted.gpus[g].gpu);
    CHECK(fitted.gpus[g].gpu == committed.gpus[g].gpu);
    CHECK(fitted.gpus[g].attention.rates.peak_share ==
          Approx(committed.gpus[g].attention.rates.peak_share).epsilon(0.002));
    REQUIRE(fitted.gpus[g].products.size() == committed.gpus[g].products.size());
    for (std::size_t i = 0; i < fitted.gpus[g].products.size(); ++i) {
      const auto& table = fitted.gpus[g].products[i];
      CHECK(table.rates.peak_share == Approx(committed.gpus[g].products[i].rates.peak_share).epsilon(0.002));
      CHECK(table.error.median < 0.125); // L40S has 0.12, the others 0.03 to 0.1
    }
  }
}

} // namespace ddlsim
