#pragma once
// Nodes that Slurm knows: what `scontrol show node` or sinfo printed, or slurm.conf and gres.conf themselves.

#include "sim/formats/gpu.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Nodes with the same GPUs.
struct SlurmNodes {
  std::string gpu_type;              ///< as Slurm has it: "h100", "nvidia_h100_80gb_hbm3"; "" where it does not say it
  std::string gpu;                   ///< of the catalogue; "" where that has no such GPU, or `gpu_type` is not known
  std::vector<std::string> could_be; ///< of the catalogue: what `gpu_type` could mean, `gpu` among it
  int gpus = 0;                      ///< in a node
  int cpus = 0;                      ///< of a node, as its operating system counts them; 0: not known
  int nodes = 0;
  std::vector<std::string> partitions;
};

/// The kinds of nodes, the most frequent first; nodes without a GPU are one with 0 of them. Throws UserError where the
/// text is none of these.
std::vector<SlurmNodes> read_slurm_nodes(const std::string& text, const std::vector<Gpu>& catalogue);

/// Which of several kinds is meant; "" and 0: any.
struct SlurmWish {
  std::string gpu_type;    ///< as Slurm or the catalogue calls it
  std::string partition;   ///< that the nodes are in
  int gpus = 0;            ///< in a node
  std::string gpu;         ///< of the catalogue, that nodes should have; passed over where none of them can
  bool processors = false; ///< those without GPUs
};

/// The one kind that the wish leaves; GPUs and counts that the caller only saw elsewhere do not leave none. Throws UserError, which lists the kinds and the options that choose, where that
/// is none or several.
SlurmNodes chosen_nodes(const std::vector<SlurmNodes>& kinds, const SlurmWish& wish);

} // namespace ddlsim
