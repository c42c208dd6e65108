#pragma once
// Reads the nodes that Slurm knows from the output of `scontrol show node` or sinfo, or from slurm.conf and gres.conf.

#include "sim/formats/gpu.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Nodes with the same GPUs.
struct SlurmNodes {
  std::string gpu_type;              ///< as Slurm names it: "h100", "nvidia_h100_80gb_hbm3"; "" if not stated
  std::string gpu;                   ///< the catalogue's name; "" if it lacks the GPU, or if `gpu_type` is not known
  std::vector<std::string> could_be; ///< the catalogue's GPUs that `gpu_type` could mean, including `gpu`
  int gpus = 0;                      ///< per node
  int cpus = 0;                      ///< of a node, as its operating system counts them; 0: not known
  int nodes = 0;
  std::vector<std::string> partitions;
};

/// The kinds of nodes, the most frequent first; nodes without a GPU are a kind with 0 GPUs. Throws UserError if the
/// text is none of these.
std::vector<SlurmNodes> read_slurm_nodes(const std::string& text, const std::vector<Gpu>& catalogue);

/// Selects one of several kinds of nodes; "" and 0: any.
struct SlurmWish {
  std::string gpu_type;    ///< as Slurm or the catalogue names it
  std::string partition;   ///< of the nodes
  int gpus = 0;            ///< per node
  std::string gpu;         ///< the preferred GPU, in the catalogue; ignored if no nodes can have it
  bool processors = false; ///< those without GPUs
};

/// The one kind that matches the wish. GPUs and counts that the caller only found elsewhere never exclude all kinds.
/// Throws UserError, which lists the kinds and the options to choose, if no kind or several match.
SlurmNodes chosen_nodes(const std::vector<SlurmNodes>& kinds, const SlurmWish& wish);

} // namespace ddlsim
