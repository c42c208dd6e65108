#pragma once
// How fast the kernels of each GPU run: platforms/kernel-rates.json, which `ddlsim calibrate --kernels` writes from the
// kernel tables in platforms/kernels/.

#include "sim/formats/kernel_peaks.hpp"

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// How fast matrix products of one precision run on one GPU.
struct ProductRates {
  double peak_share = 0; ///< of the data sheet's dense peak, for a product of great depth
  double half_depth = 0; ///< depth k at which a product reaches half of that share
  double launch_s = 0;   ///< of one product alone on the GPU
  /// How many times longer than by the full memory rate it takes to convert a 16-bit input to the product's format; 0:
  /// nothing is converted.
  double cast_slowdown = 0;
  bool operator==(const ProductRates&) const = default;
};

/// How fast attention in 16 bits runs on one GPU, by the kernel of its tables.
struct AttentionRates {
  double peak_share = 0;        ///< of the 16-bit peak, forward, head size 128, long sequences
  double padded_tokens = 0;     ///< tokens of each sequence that are computed besides
  double share_at_size_64 = 1;  ///< rate at head size 64 over the rate at 128
  double backward_share = 0.75; ///< rate of backward over the rate of forward
  double launch_s = 0;          ///< of one kernel alone on the GPU
  /// How many times longer than by the reached memory rate the software of the tables takes to store keys and values in
  /// its cache. The tables include it; training keeps no cache.
  double cache_slowdown = 0;
  bool operator==(const AttentionRates&) const = default;
};

/// How far a fit misses the rows of its table: |ln(measured / fitted)|.
struct KernelFitError {
  int rows = 0;
  double median = 0;
  double p90 = 0;
  bool operator==(const KernelFitError&) const = default;
};

/// Rates fitted to a table of matrix products.
struct FittedProducts {
  KernelPrecision precision = KernelPrecision::bf16;
  ProductRates rates;
  KernelFitError error;
  bool operator==(const FittedProducts&) const = default;
};

struct FittedAttention {
  AttentionRates rates;
  KernelFitError error;
  bool operator==(const FittedAttention&) const = default;
};

/// All tables of one GPU.
struct GpuKernelRates {
  std::string gpu; ///< name in gpus.json
  std::vector<FittedProducts> products;
  FittedAttention attention; ///< without a table its peak_share is 0
  bool operator==(const GpuKernelRates&) const = default;
};

/// Standard deviations of ln of rates that are taken from other GPUs: root mean square of the levels by which tables
/// missed the rates of the others.
struct BorrowedRateErrors {
  double products = 0;
  double attention = 0;
  bool operator==(const BorrowedRateErrors&) const = default;
};

/// The file platforms/kernel-rates.json.
struct KernelRateBook {
  std::vector<GpuKernelRates> gpus;
  BorrowedRateErrors by_generation; ///< with each GPU left out, by the others of its generation
  BorrowedRateErrors by_others;     ///< with each generation left out, by all other GPUs
  bool operator==(const KernelRateBook&) const = default;
};

/// Throws UserError with every mistake of the file.
KernelRateBook read_kernel_rates(const std::filesystem::path& file);
std::string kernel_rates_json(const KernelRateBook& book);

} // namespace ddlsim
