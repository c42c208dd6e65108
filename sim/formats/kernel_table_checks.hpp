#pragma once
// Which rows of a kernel table can be true of its GPU.

#include "sim/formats/kernel_table.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The rows of the tables that may be used, with times in seconds, and what was left out.
struct PlausibleKernels {
  GpuKernelTables tables;         ///< every unit_s is 1; a table that is left out has no rows
  std::vector<std::string> notes; ///< "/products/0: ...", one for each table of which something is left out
};

/// Leaves out rows that are faster than the GPU's peak. A table whose times are mostly too short, or a hundred times too
/// long, is left out whole: its unit is wrong. So is a table of a precision, or of a GPU, that the catalogue has no peak
/// or memory bandwidth for.
PlausibleKernels plausible_kernels(const GpuKernelTables& tables, const Gpu& gpu);

} // namespace ddlsim
