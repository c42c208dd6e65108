#pragma once
// Reads the nodes that Slurm knows from the output of `scontrol show node` or sinfo, or from slurm.conf and gres.conf.

#include "sim/formats/gpu.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Nodes with the same GPUs.
struct SlurmNodes {
  std::string gpu_type; ///< name that Slurm uses, such as "h100" or "nvidia_h100_80gb_hbm3"; "" if not stated
  std::string gpu;      ///< name in the catalogue; "" if it lacks the GPU, or if `gpu_type` is not known
  std::vector<std::string> could_be; ///< names in the catalogue that `gpu_type` could mean, with `gpu`
  int gpus = 0;                      ///< number of GPUs of a node
  int cpus = 0;                      ///< number of cores of a node, as its operating system counts them; 0: not known
  int nodes = 0;
  std::vector<std::string> partitions;
};

/// Returns the kinds of nodes, the most frequent first. Nodes without a GPU are a kind with 0 GPUs. Throws UserError if
/// the text is none of these.
std::vector<SlurmNodes> read_slurm_nodes(const std::string& text, const std::vector<Gpu>& catalogue);

/// Selects one of several kinds of nodes; "" and 0: any.
struct SlurmWish {
  std::string gpu_type;    ///< name that Slurm or the catalogue uses
  std::string partition;   ///< partition of the nodes
  int gpus = 0;            ///< number of GPUs of a node
  std::string gpu;         ///< preferred GPU, by its name in the catalogue; ignored if no nodes can have it
  bool processors = false; ///< whether nodes without GPUs are wanted
};

/// Returns the one kind that matches the wish. GPUs and counts that the caller found elsewhere never exclude all kinds.
/// If no kind matches, or several do, it throws UserError, which lists the kinds and the options to choose one.
SlurmNodes chosen_nodes(const std::vector<SlurmNodes>& kinds, const SlurmWish& wish);

} // namespace ddlsim
