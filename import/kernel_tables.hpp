#pragma once
// Tables of total kernel times as profilers print them: `nsys stats` (cuda_gpu_kern_sum, gpukernsum; text and CSV) and
// key_averages().table() of the PyTorch profiler.

#include "import/kernel_kinds.hpp"
#include "import/log_source.hpp"

#include <vector>

namespace ddlsim {

struct KernelTables {
  std::vector<KernelTime> kernels; ///< kernels of all tables of the file, in their order
  int tables = 0;
  int first_line = 0;        ///< line of the first header
  double stated_total_s = 0; ///< time of the device that is stated below PyTorch's tables; 0: not stated
  int rows_not_read = 0;     ///< number of rows of a kernel table that have no time
};

/// Reads the tables line by line. Of PyTorch's tables it takes the kernels, because the device times of operators
/// contain the same time. If no kernels are listed, it takes the operators.
KernelTables read_kernel_tables(LogSource& source);

} // namespace ddlsim
