#pragma once
// A node's GPUs, links and NICs from a file: what `nvidia-smi topo -m` printed, NCCL's XML (NCCL_TOPO_DUMP_FILE), or
// lstopo's XML.

#include "own/machine.hpp"
#include "sim/formats/gpu.hpp"

#include <string>
#include <vector>

namespace ddlsim {

struct Topology {
  MachineFacts facts;
  std::vector<std::string> adapters; ///< NICs, whose rate the file may leave out
  std::vector<std::string> near;     ///< those of them that share a PCIe switch with a GPU
  std::vector<std::string> notes;    ///< what the file was taken for, and what it leaves open; one sentence each
};

/// Throws UserError where the text is none of the three.
Topology read_topology(const std::string& text, const std::vector<Gpu>& catalogue);

} // namespace ddlsim
