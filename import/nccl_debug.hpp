#pragma once
// Reads the lines that NCCL and RCCL print with NCCL_DEBUG=INFO, which may stand among the output of any program.

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ddlsim {

/// What NCCL's debug text says about the last communicator and the last operation.
struct NcclDebug {
  int ranks = 0;                     ///< number of ranks; 0: not stated
  int nodes = 0;                     ///< number of nodes; 0: not stated
  std::string transport = "unknown"; ///< transport between nodes, nccl-ib or nccl-tcp
  std::string inside;    ///< connection between the GPUs of a node in NCCL's words, "P2P" or "SHM"; "": not stated
  std::string algorithm; ///< algorithm in NCCL's words, "RING" or "NVLS"; "": not stated
  std::string protocol;  ///< "LL", "LL128" or "SIMPLE"; "": not stated
  double bytes_by_algorithm = 0; ///< bytes of the operation that used the algorithm
};

/// Names of hosts, which can be searched by parts of lines.
using HostNames = std::set<std::string, std::less<>>;

/// A line, split at NCCL's text. Programs print a row in parts, and NCCL's text may come between two of them.
struct LineWithDebug {
  std::string_view before; ///< text that another program printed
  std::string_view debug;  ///< text from "NCCL INFO ..." on; "": none
};

/// Separates a program's half line from NCCL's "HOST:PID:TID [GPU] NCCL INFO ..." after it. There may be nothing
/// between the two, so names of hosts are looked up in `hosts`. A line of NCCL alone adds its host.
LineWithDebug without_nccl_debug(std::string_view line, HostNames& hosts);

/// Reads the facts in `text`, which begins with "NCCL INFO".
void read_nccl_debug(std::string_view text, NcclDebug& debug);

} // namespace ddlsim
