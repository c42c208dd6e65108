#include "sim/compute/kernels/matrix_product.hpp"

#include <algorithm>

namespace ddlsim {

namespace {

constexpr double flop_of_a_term = 2; ///< a multiplication and an addition
constexpr double unconverted_bytes = 2;

bool is_wide(KernelPrecision precision) {
  return precision == KernelPrecision::fp32 || precision == KernelPrecision::tf32;
}

bool is_empty_product(const MatrixShape& shape) {
  return shape.m <= 0 || shape.n <= 0 || shape.k <= 0;
}

} // namespace

double product_flop(const MatrixShape& shape) {
  return flop_of_a_term * shape.m * shape.n * shape.k;
}

double input_bytes(KernelPrecision precision) {
  switch (precision) {
  case KernelPrecision::fp32:
  case KernelPrecision::tf32:
    return 4;
  case KernelPrecision::bf16:
    return 2;
  case KernelPrecision::fp8:
  case KernelPrecision::fp8_block:
    return 1;
  case KernelPrecision::nvfp4:
    break;
  }
  return 0.56; // half a byte, and a byte for each 16 values
}

double product_bytes(const MatrixShape& shape, KernelPrecision precision) {
  const double result_bytes = is_wide(precision) ? 4 : 2;
  return input_bytes(precision) * (shape.m * shape.k + shape.n * shape.k) + result_bytes * shape.m * shape.n;
}

double matrix_product_s(const MatrixShape& shape, const KernelRates& rates) {
  if (is_empty_product(shape)) return 0;
  const auto& product = rates.product;
  const double compute_s =
      product_flop(shape) * (1 + product.half_depth / shape.k) / (rates.peaks.product_flop_per_s * product.peak_share);
  const double memory_s = product_bytes(shape, rates.precision) / (rates.peaks.memory_Bps * rates.memory_share);
  return product.launch_s + std::max(compute_s, memory_s);
}

double grouped_product_s(const MatrixShape& shape, double count, const KernelRates& rates) {
  if (is_empty_product(shape) || count <= 0) return 0;
  const double launch_s = rates.product.launch_s;
  return launch_s + count * (matrix_product_s(shape, rates) - launch_s);
}

double cast_s(const MatrixShape& shape, const KernelRates& rates) {
  if (is_empty_product(shape)) return 0;
  const double bytes = (unconverted_bytes + input_bytes(rates.precision)) * shape.m * shape.k;
  return rates.product.cast_slowdown * bytes / rates.peaks.memory_Bps;
}

} // namespace ddlsim
