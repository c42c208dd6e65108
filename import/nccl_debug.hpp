#pragma once
// What NCCL and RCCL say of themselves with NCCL_DEBUG=INFO, among the lines of any program.

#include <functional>
#include <set>
#include <string>
#include <string_view>

namespace ddlsim {

/// What NCCL's debug text says of the last communicator and of the last operation.
struct NcclDebug {
  int ranks = 0;                     ///< 0: not said
  int nodes = 0;                     ///< 0: not said
  std::string transport = "unknown"; ///< between nodes: nccl-ib, nccl-tcp
  std::string inside;                ///< between GPUs of a node, as NCCL calls it: "P2P", "SHM"; "": not said
  std::string algorithm;             ///< as NCCL calls it: "RING", "NVLS"; "": not said
  std::string protocol;              ///< "LL", "LL128", "SIMPLE"; "": not said
  double bytes_by_algorithm = 0;     ///< of the operation that took them
};

/// Names of hosts, which are looked up by parts of lines.
using HostNames = std::set<std::string, std::less<>>;

/// A line that NCCL may have written into: programs print a row in parts, and NCCL's text may stand between two.
struct LineWithDebug {
  std::string_view before; ///< what another program printed
  std::string_view debug;  ///< from NCCL's word ("NCCL INFO ...") on; "": none
};

/// Tells a program's half line from NCCL's "HOST:PID:TID [GPU] NCCL INFO ..." behind it. Nothing need stand between the
/// two: `hosts` are known names, and a line of NCCL alone adds its own.
LineWithDebug without_nccl_debug(std::string_view line, HostNames& hosts);

/// Takes what is known of `text`, from "NCCL INFO" on.
void read_nccl_debug(std::string_view text, NcclDebug& debug);

} // namespace ddlsim
