#pragma once
// Finds the GPU of the catalogue that a name means: as drivers print it ("NVIDIA H100 80GB HBM3"), as PCI databases,
// Slurm ("nvidia_h100_80gb_hbm3") and shops write it, or as people type it ("h100").

#include "sim/formats/gpu.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

struct GpuMatch {
  const Gpu* gpu = nullptr;        ///< the GPU of the catalogue that is meant; null: none matches all words
  std::vector<std::string> others; ///< other GPUs that the name could mean
};

/// Ignores vendors' words, punctuation and case. A name that is less precise than the catalogue's means the GPU that
/// has it as an alias, else the first match. A memory size or form (SXM, PCIe, NVL) that no entry has means another
/// GPU, and so does a part of a GPU (MIG).
GpuMatch match_gpu(std::string_view text, const std::vector<Gpu>& gpus);
GpuMatch match_gpu(std::string_view text, std::vector<Gpu>&& gpus) = delete; ///< the match points into the list

/// Returns "GPU "h100" is taken for H100-SXM5-80GB; it could be H100-PCIe-80GB, too"; "" when the name has one meaning
/// or matches nothing.
std::string choice_of_gpu(std::string_view text, const std::vector<Gpu>& gpus);

} // namespace ddlsim
