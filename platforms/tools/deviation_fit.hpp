#pragma once
// Learns from all shipped one-GPU times how large deviations from the kernel model are.

#include "sim/compute/deviation.hpp"
#include "sim/compute/one_gpu_rows.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// ln of the likelihood of the rows' deviations, and of a prior that keeps each size within a factor e of its start.
double ln_posterior(const DeviationSizes& sizes, const std::vector<OneGpuRow>& rows);

/// Returns the likeliest sizes, by average-information scoring (Gilmour, Thompson and Cullis, Biometrics 51, 1995),
/// from starts that are the same for every call. Deterministic; the order of rows does not matter beyond rounding.
DeviationSizes likeliest_sizes(const std::vector<OneGpuRow>& rows);

/// The sizes as C++ initialisers, for sim/compute/deviation.hpp.
std::string to_text(const DeviationSizes& sizes);

} // namespace ddlsim
