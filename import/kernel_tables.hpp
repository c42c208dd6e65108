#pragma once
// Sums of kernels as profilers print them: `nsys stats` (cuda_gpu_kern_sum, gpukernsum; text and CSV) and the PyTorch
// profiler's key_averages().table().

#include "import/kernel_kinds.hpp"
#include "import/log_source.hpp"

#include <vector>

namespace ddlsim {

struct KernelTables {
  std::vector<KernelTime> kernels; ///< of all tables of the file, in its order
  int tables = 0;
  int first_line = 0;        ///< of a header
  double stated_total_s = 0; ///< of the device, below PyTorch's tables; 0: not there
  int rows_not_read = 0;     ///< of a table of kernels, without a time
};

/// Reads line by line. Of PyTorch's tables the kernels, which operators' device times would count again; the operators
/// where no kernels are listed.
KernelTables read_kernel_tables(LogSource& source);

} // namespace ddlsim
