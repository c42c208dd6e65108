#include "sim/compute/kernels/matrix_product.hpp"
#include "tests/compute/planted_rates.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {

using ddlsim_test::planted_rates;

TEST_CASE("a deep product takes its FLOP over the reached peak, and a launch", "[kernels]") {
  const auto rates = planted_rates();
  CHECK(matrix_product_s({1000, 2000, 3000}, rates) == Approx(5e-6 + 12e9 * (1 + 100.0 / 3000) / 50e12));
  CHECK(matrix_product_s({0, 2000, 3000}, rates) == 0);
}

TEST_CASE("products of experts in one kernel are launched once", "[kernels]") {
  const auto rates = planted_rates();
  const MatrixShape shape{1000, 2000, 3000};
  CHECK(grouped_product_s(shape, 1, rates) == Approx(matrix_product_s(shape, rates)));
  CHECK(grouped_product_s(shape, 8, rates) == Approx(8 * matrix_product_s(shape, rates) - 7 * 5e-6));
  CHECK(grouped_product_s({0, 2000, 3000}, 8, rates) == 0);
}

TEST_CASE("a flat product takes its bytes over the reached memory rate", "[kernels]") {
  const auto rates = planted_rates();
  const MatrixShape flat{1, 10000, 10000};
  CHECK(product_bytes(flat, KernelPrecision::bf16) == Approx(2 * (1e4 + 1e8 + 1e4)));
  CHECK(matrix_product_s(flat, rates) == Approx(5e-6 + 2 * (1e4 + 1e8 + 1e4) / 0.8e12));
}

TEST_CASE("narrow inputs have fewer bytes, wide results more", "[kernels]") {
  const MatrixShape shape{10, 20, 30};
  CHECK(product_bytes(shape, KernelPrecision::tf32) == 4 * (300 + 600) + 4 * 200);
  CHECK(product_bytes(shape, KernelPrecision::fp8_block) == 300 + 600 + 2 * 200);
  CHECK(product_bytes(shape, KernelPrecision::nvfp4) == Approx(0.56 * (300 + 600) + 2 * 200));
}

TEST_CASE("a product grows with each side and is never faster than a peak", "[kernels]") {
  auto rates = planted_rates();
  for (const double share : {0.3, 1.0}) {
    rates.product.peak_share = share;
    for (const double m : {1.0, 64.0, 4096.0})
      for (const double n : {8.0, 1024.0, 65536.0})
        for (const double k : {1.0, 512.0, 16384.0}) {
          const double time_s = matrix_product_s({m, n, k}, rates);
          CHECK(time_s > product_flop({m, n, k}) / rates.peaks.product_flop_per_s);
          CHECK(time_s > product_bytes({m, n, k}, rates.precision) / rates.peaks.memory_Bps);
          CHECK(matrix_product_s({2 * m, n, k}, rates) > time_s);
          CHECK(matrix_product_s({m, 2 * n, k}, rates) > time_s);
          CHECK(matrix_product_s({m, n, 2 * k}, rates) > time_s);
        }
  }
}

TEST_CASE("converting an input takes its bytes times the slowdown", "[kernels]") {
  auto rates = planted_rates();
  rates.precision = KernelPrecision::fp8;
  CHECK(cast_s({100, 7, 200}, rates) == 0);
  rates.product.cast_slowdown = 2;
  CHECK(cast_s({100, 7, 200}, rates) == Approx(2 * (2 + 1) * 100 * 200 / 1e12));
}

} // namespace ddlsim
