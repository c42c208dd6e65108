#pragma once
// Reads the lines that NCCL and RCCL print with NCCL_DEBUG=INFO among the output of any program.

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ddlsim {

/// What NCCL's debug text says about the last communicator and the last operation.
struct NcclDebug {
  int ranks = 0;                     ///< 0: not said
  int nodes = 0;                     ///< 0: not said
  std::string transport = "unknown"; ///< between nodes: nccl-ib, nccl-tcp
  std::string inside;                ///< between GPUs of a node, as NCCL calls it: "P2P", "SHM"; "": not said
  std::string algorithm;             ///< as NCCL calls it: "RING", "NVLS"; "": not said
  std::string protocol;              ///< "LL", "LL128", "SIMPLE"; "": not said
  double bytes_by_algorithm = 0;     ///< size of the operation that used the algorithm
};

/// Names of hosts, searchable by parts of lines.
using HostNames = std::set<std::string, std::less<>>;

/// A line split at NCCL's text. Programs print a row in parts, and NCCL's text may come between two of them.
struct LineWithDebug {
  std::string_view before; ///< printed by another program
  std::string_view debug;  ///< from "NCCL INFO ..." on; "": none
};

/// Separates a program's half line from NCCL's "HOST:PID:TID [GPU] NCCL INFO ..." behind it. There may be nothing
/// between the two, so host names are looked up in `hosts`; a line of NCCL alone adds its own.
LineWithDebug without_nccl_debug(std::string_view line, HostNames& hosts);

/// Reads the facts in `text`, which begins with "NCCL INFO".
void read_nccl_debug(std::string_view text, NcclDebug& debug);

} // namespace ddlsim
