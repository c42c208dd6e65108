#pragma once
// Which GPU of the catalogue a name means: as drivers print it ("NVIDIA H100 80GB HBM3"), as PCI databases, Slurm
// ("nvidia_h100_80gb_hbm3") and shops have it, or as people type it ("h100").

#include "sim/formats/gpu.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ddlsim {

struct GpuMatch {
  const Gpu* gpu = nullptr;        ///< null: the catalogue has none that fits all of the words
  std::vector<std::string> others; ///< which the name could mean as well
};

/// Vendors' words, punctuation and capitals do not count. A name that says less than the catalogue's means the GPU that
/// has it as an alias, else the first that fits. A size of memory or a form (SXM, PCIe, NVL) that no entry has is
/// another GPU; so is a part of one (MIG).
GpuMatch match_gpu(std::string_view text, const std::vector<Gpu>& gpus);
GpuMatch match_gpu(std::string_view text, std::vector<Gpu>&& gpus) = delete; ///< the match points into the list

/// "GPU "h100" is taken for H100-SXM5-80GB; it could be H100-PCIe-80GB, too"; "" where the name leaves nothing open, or
/// fits none.
std::string choice_of_gpu(std::string_view text, const std::vector<Gpu>& gpus);

} // namespace ddlsim
