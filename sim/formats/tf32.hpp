#pragma once
// Which products and convolutions of a run in fp32 use TF32, the tensor cores' format for fp32.

#include "sim/base/json.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/names.hpp"

#include <optional>
#include <string>

namespace ddlsim {

/// Whether matrix products and convolutions may run in TF32.
struct Tf32Use {
  bool matmul = false;
  bool convolution = false;
  auto operator<=>(const Tf32Use&) const = default;
};

/// What a record or a question says about it.
struct Tf32Facts {
  Precision precision = Precision::fp32;
  std::optional<bool> matmul;      ///< as stated; nothing: what the software does if not told otherwise
  std::optional<bool> convolution; ///< as stated
  std::string preset;
  std::string software;
};

/// Precision tf32 means both. Otherwise only fp32 on a GPU that has TF32 uses it: as stated, else as the software does
/// if not told otherwise.
Tf32Use tf32_use(const Tf32Facts& facts, const Gpu& gpu);

/// Whether the GPU has TF32: those of compute capability 8.0 and later do (NVIDIA CUDA C++ Programming Guide, table of
/// arithmetic by compute capability).
bool has_tf32(const Gpu& gpu);

/// Returns the precision whose unit computes: tf32 for fp32 that may use TF32.
Precision arithmetic_of(Precision precision, bool may_use_tf32);

/// Notes the keys "matmul_tf32" and "conv_tf32" that contradict the precision.
void check_tf32_keys(const JsonNode& object, Precision precision, std::optional<bool> matmul, std::optional<bool> conv);

} // namespace ddlsim
