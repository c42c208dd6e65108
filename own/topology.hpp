#pragma once
// Reads a node's GPUs, links and NICs from a file: the output of `nvidia-smi topo -m`, NCCL's XML
// (NCCL_TOPO_DUMP_FILE), or lstopo's XML.

#include "own/machine.hpp"
#include "sim/formats/gpu.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct Topology {
  MachineFacts facts;
  std::vector<std::string> adapters; ///< names of NICs; the file may lack their rates
  std::vector<std::string> near;     ///< names of the NICs that share a PCIe switch with a GPU
  std::vector<std::string> notes;    ///< sentences on the kind of the file and what it lacks
};

/// Reads the file. Throws UserError if the text is of none of the three kinds.
Topology read_topology(const std::string& text, const std::vector<Gpu>& catalogue);

} // namespace ddlsim
