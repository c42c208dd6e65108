#pragma once
// Measured times of matrix products and of attention on one GPU: a file of platforms/kernels/.

#include "sim/formats/kernel_peaks.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Where the tables of a file are published.
struct KernelSource {
  std::string title;
  std::string repository;
  std::string commit;
  std::string licence;
  std::string date; ///< when it was read
};

/// What ran, and the unit of the times of a table.
struct KernelTableHead {
  std::string software; ///< with its version
  std::string kernel;
  std::string path;     ///< in the repository
  double unit_s = 1e-6; ///< seconds of one unit of the table's times
};

/// The time of an m x k matrix times a k x n matrix.
struct ProductTime {
  double m = 0;
  double n = 0;
  double k = 0;
  double time = 0; ///< in the table's unit
};

/// The time of causal attention over whole sequences, forward, one layer.
struct AttentionTime {
  double sequences = 0;
  double tokens = 0;
  double heads = 0;
  double kv_heads = 0;
  double head_size = 0;
  double time = 0; ///< in the table's unit
};

struct ProductTable {
  KernelPrecision precision = KernelPrecision::bf16;
  KernelTableHead head;
  std::vector<ProductTime> rows;
};

struct AttentionTable {
  KernelTableHead head;
  std::vector<AttentionTime> rows;
};

/// One file. Its tables are of one GPU.
struct GpuKernelTables {
  std::string gpu; ///< name in gpus.json
  KernelSource source;
  std::vector<ProductTable> products;
  std::vector<AttentionTable> attention;
};

/// Throws UserError with every mistake of the file.
GpuKernelTables read_gpu_kernels(const std::filesystem::path& file);

} // namespace ddlsim
