#pragma once
// Fits the rates of a GPU's kernels to its tables.

#include "sim/compute/kernels/attention.hpp"
#include "sim/compute/kernels/matrix_product.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/kernel_table.hpp"

#include <vector>

namespace ddlsim {

/// Whether a table has more rows that a fit uses than there are unknowns.
bool can_be_fitted(KernelPrecision precision, const std::vector<ProductTime>& rows);
bool can_be_fitted(const std::vector<AttentionTime>& rows);

/// Returns the rates that leave the least soft-L1 cost of ln(measured / fitted) over products of 512 tokens and more,
/// in blocks of fp8 over those of a millisecond and more: below that, published times are of the host. Tables of fp8
/// and NVFP4 include a conversion. Times are in seconds.
FittedProducts fit_products(KernelPrecision precision, const GpuPeaks& peaks, const std::vector<ProductTime>& rows);

/// The same for attention. The tables include the time that keys and values take to the cache of inference. They have
/// no backward: its share is the usual one of the generation.
FittedAttention fit_attention(GpuGeneration generation, const GpuPeaks& peaks, const std::vector<AttentionTime>& rows);

/// ln(measured / fitted) of each row that a fit uses.
std::vector<double> residuals_of(const KernelRates& rates, const std::vector<ProductTime>& rows);
std::vector<double> residuals_of(const KernelRates& rates, const std::vector<AttentionTime>& rows);

} // namespace ddlsim
