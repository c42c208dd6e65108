#include "sim/base/error.hpp"
#include "sim/compute/kernels/rates.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

using Catch::Contains;

Gpu tensor_gpu(const std::string& name, int capability) {
  Gpu gpu;
  gpu.name = name;
  gpu.compute_capability = capability;
  gpu.peak_flop_per_s = {{ArithmeticUnit::fp32, 10e12},
                         {ArithmeticUnit::tf32, 50e12},
                         {ArithmeticUnit::fp16_tensor, 100e12},
                         {ArithmeticUnit::fp8_tensor, 200e12}};
  gpu.memory_bandwidth_Bps = 1e12;
  return gpu;
}

std::vector<Gpu> some_gpus() {
  return {tensor_gpu("ampere-a", 80), tensor_gpu("hopper-a", 90),     tensor_gpu("hopper-b", 90),
          tensor_gpu("hopper-c", 90), tensor_gpu("blackwell-a", 100), tensor_gpu("turing-a", 75)};
}

GpuKernelRates fitted(const std::string& gpu, double share) {
  GpuKernelRates rates;
  rates.gpu = gpu;
  rates.products = {{KernelPrecision::bf16, {share, 100, 5e-6, 0}, {}},
                    {KernelPrecision::fp8, {share / 2, 300, 5e-6, 3}, {}}};
  rates.attention = {{share / 3, 500, 0.8, 0.6, 4e-6}, {}};
  return rates;
}

KernelRateBook some_book() {
  return {{fitted("ampere-a", 0.9), fitted("hopper-a", 0.8), fitted("hopper-b", 0.6)}, {0.1, 0.2}, {0.3, 0.4}};
}

} // namespace

TEST_CASE("a GPU with tables has its own rates", "[kernels]") {
  const auto gpus = some_gpus();
  const auto rates = kernel_rates(some_book(), gpus, gpus[1], KernelPrecision::fp8);
  CHECK(rates.product == ProductRates{0.4, 300, 5e-6, 3});
  CHECK(rates.attention == AttentionRates{0.8 / 3, 500, 0.8, 0.6, 4e-6});
  CHECK(rates.peaks.product_flop_per_s == 200e12);
  CHECK(rates.peaks.attention_flop_per_s == 100e12);
  CHECK(rates.memory_share == 0.8);
  CHECK(rates.product_error == 0);
  CHECK(rates.attention_error == 0);
}

TEST_CASE("a GPU without tables takes the median of its generation, and is less certain", "[kernels]") {
  const auto gpus = some_gpus();
  const auto rates = kernel_rates(some_book(), gpus, gpus[3], KernelPrecision::bf16);
  CHECK(rates.product.peak_share == Approx(0.7));
  CHECK(rates.product_error == 0.1);
  CHECK(rates.attention_error == 0.2);
}

TEST_CASE("a generation without tables takes the median of all", "[kernels]") {
  const auto gpus = some_gpus();
  CHECK(kernel_rates(some_book(), gpus, gpus[4], KernelPrecision::bf16).product.peak_share == Approx(0.8));
  const auto rates = kernel_rates(some_book(), gpus, gpus[4], KernelPrecision::bf16);
  CHECK(rates.generation == GpuGeneration::blackwell);
  CHECK(rates.product_error == 0.3);
  CHECK(rates.attention_error == 0.4);
}

TEST_CASE("fp32 and TF32 run at the share of bf16 on their own peaks", "[kernels]") {
  const auto gpus = some_gpus();
  const auto rates = kernel_rates(some_book(), gpus, gpus[1], KernelPrecision::tf32);
  CHECK(rates.product.peak_share == 0.8);
  CHECK(rates.peaks.product_flop_per_s == 50e12);
  CHECK(rates.product_error == 0.1); // borrowed of another precision
  CHECK(rates.attention_error == 0);
}

TEST_CASE("a GPU without TF32 computes in fp32", "[kernels]") {
  auto old = tensor_gpu("old", 70);
  old.peak_flop_per_s.erase(ArithmeticUnit::tf32);
  CHECK(kernel_peak_flop_per_s(old, KernelPrecision::tf32) == 10e12);
}

TEST_CASE("NVFP4 has four times the 16-bit peak on Blackwell, and no peak before", "[kernels]") {
  const auto gpus = some_gpus();
  CHECK(kernel_peak_flop_per_s(gpus[4], KernelPrecision::nvfp4) == 400e12);
  CHECK(kernel_peak_flop_per_s(gpus[1], KernelPrecision::nvfp4) == 0);
  CHECK_THROWS_WITH(kernel_rates(some_book(), gpus, gpus[1], KernelPrecision::nvfp4),
                    Contains("no peak rate for nvfp4 of hopper-a"));
}

TEST_CASE("what the catalogue lacks is said", "[kernels]") {
  auto gpus = some_gpus();
  gpus[1].memory_bandwidth_Bps = 0;
  CHECK_THROWS_WITH(kernel_rates(some_book(), gpus, gpus[1], KernelPrecision::bf16),
                    Contains("no memory bandwidth of hopper-a") && Contains("platforms/gpus.json"));
  CHECK_THROWS_WITH(kernel_rates({}, gpus, gpus[2], KernelPrecision::bf16),
                    Contains("no GPU has kernel rates for bf16"));
}

TEST_CASE("a queued kernel's launch is short", "[kernels]") {
  KernelRates rates;
  rates.product.launch_s = 20e-6;
  rates.attention.launch_s = 3e-6;
  CHECK(queued(rates).product.launch_s == 6e-6);
  CHECK(queued(rates).attention.launch_s == 3e-6);
}

TEST_CASE("half precisions share the tables of bf16", "[kernels]") {
  CHECK(kernel_precision(Precision::amp) == KernelPrecision::bf16);
  CHECK(kernel_precision(Precision::fp16) == KernelPrecision::bf16);
  CHECK(kernel_precision(Precision::fp8) == KernelPrecision::fp8);
  CHECK(kernel_precision(Precision::tf32) == KernelPrecision::tf32);
}

} // namespace ddlsim
