#pragma once
// The time of one matrix product.

#include "sim/compute/kernels/rates.hpp"

namespace ddlsim {

/// An m x k matrix times a k x n matrix. In forward m is the number of tokens.
struct MatrixShape {
  double m = 0;
  double n = 0;
  double k = 0;
};

/// 2 m n k.
double product_flop(const MatrixShape& shape);

/// Bytes of one input value: 0.56 for NVFP4, whose blocks of 16 share a scale of one byte.
double input_bytes(KernelPrecision precision);

/// What the product reads and writes. Its result has 16 bits, or 32 for products in fp32 and TF32.
double product_bytes(const MatrixShape& shape, KernelPrecision precision);

/// The time of the product alone:
///   launch + max(2 m n k (1 + half_depth / k) / (peak x peak_share), bytes / (memory rate x memory_share))
/// Zero for an empty product. Not faster than the peaks, and longer for each longer side.
double matrix_product_s(const MatrixShape& shape, const KernelRates& rates);

/// The time of one kernel that computes `count` such products, each of its own matrices: one launch, and
/// matrix_product_s() without it for each.
double grouped_product_s(const MatrixShape& shape, double count, const KernelRates& rates);

/// The time to convert the m x k input from 16 bits: cast_slowdown (2 + b) m k / memory rate, where b is the bytes of a
/// converted value. Some stacks convert inside another kernel.
double cast_s(const MatrixShape& shape, const KernelRates& rates);

} // namespace ddlsim
