#pragma once
// Tables of total kernel times as profilers print them: `nsys stats` (cuda_gpu_kern_sum, gpukernsum; text and CSV) and
// the PyTorch profiler's key_averages().table().

#include "import/kernel_kinds.hpp"
#include "import/log_source.hpp"

#include <vector>

namespace ddlsim {

struct KernelTables {
  std::vector<KernelTime> kernels; ///< of all tables of the file, in their order
  int tables = 0;
  int first_line = 0;        ///< of the first header
  double stated_total_s = 0; ///< device time stated below PyTorch's tables; 0: not stated
  int rows_not_read = 0;     ///< rows of a kernel table without a time
};

/// Reads the tables line by line. From PyTorch's tables it takes the kernels, because the operators' device times
/// contain the same time; if no kernels are listed, the operators.
KernelTables read_kernel_tables(LogSource& source);

} // namespace ddlsim
