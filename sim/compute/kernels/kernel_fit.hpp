#pragma once
// Fits the rates of a GPU's kernels to its tables.

#include "sim/compute/kernels/attention.hpp"
#include "sim/compute/kernels/matrix_product.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/kernel_table.hpp"

#include <vector>

namespace ddlsim {

/// Returns the rates that leave the least soft-L1 cost of ln(measured / fitted) over products of 512 tokens and more.
/// Only products of fp8 and NVFP4 tables include a conversion. Times are in seconds; there must be a row.
FittedProducts fit_products(KernelPrecision precision, const GpuPeaks& peaks, const std::vector<ProductTime>& rows);

/// The same for attention. Backward is not in the tables: its share is the usual one of the generation.
FittedAttention fit_attention(GpuGeneration generation, const GpuPeaks& peaks, const std::vector<AttentionTime>& rows);

/// ln(measured / fitted) of each row that a fit uses.
std::vector<double> residuals_of(const KernelRates& rates, const std::vector<ProductTime>& rows);
std::vector<double> residuals_of(const KernelRates& rates, const std::vector<AttentionTime>& rows);

} // namespace ddlsim
