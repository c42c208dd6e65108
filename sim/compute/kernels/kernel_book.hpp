#pragma once
// Rates of all GPUs with kernel tables, and what they say of a GPU without.

#include "sim/formats/gpu.hpp"
#include "sim/formats/kernel_rates.hpp"
#include "sim/formats/kernel_table.hpp"

#include <string>
#include <utility>
#include <vector>

namespace ddlsim {

/// A file of platforms/kernels/, and its name for messages.
struct KernelFile {
  std::string name;
  GpuKernelTables tables;
};

/// ln(measured / predicted) of one GPU's rows where its rates are taken from other GPUs.
struct LeftOutGpu {
  std::string gpu;
  bool by_generation = false; ///< from GPUs of its generation; else its whole generation is left out
  std::string kernels;        ///< "bf16", ..., or "attention"
  double level = 0;           ///< mean over the rows
  double error = 0;           ///< median of the absolute values
};

struct KernelBookFit {
  KernelRateBook book;
  std::vector<LeftOutGpu> left_out;
  std::vector<std::string> notes; ///< what of the tables was not used, and why
};

/// Fits every table, and predicts every GPU from the others. Throws UserError when a GPU is not in the catalogue, when
/// two files are of one GPU, and when no row can be used.
KernelBookFit fit_kernel_book(const std::vector<KernelFile>& files, const std::vector<Gpu>& gpus);

/// Rates and errors as tables for a terminal.
std::string kernel_book_text(const KernelBookFit& fit);

} // namespace ddlsim
