#pragma once
// Reads from its title what a table of the OSU micro-benchmarks or of Intel MPI Benchmarks measures.

#include <string>
#include <string_view>

namespace ddlsim {

/// Name of a message from one process to another, which is no collective.
inline constexpr const char* one_way_message = "one_way";

struct MpiTitle {
  /// name in the log, such as "OSU MPI-CUDA Allreduce Latency Test v7.3" or "Allreduce"; "": none yet
  std::string name;
  std::string operation;    ///< name in records, or one_way_message; "": records have no such times
  std::string why_left_out; ///< why there is no operation; "" if there is one
  std::string library;      ///< "nccl" if the title says so; else ""
  /// Whether the table's size is the bytes of each rank. Records state the bytes of all ranks together.
  bool is_part = false;
};

/// Reads titles like "OSU MPI Allreduce Latency Test v7.3" of any version, and those for CUDA, ROCm and NCCL.
MpiTitle read_osu_title(std::string_view title);

/// Reads the operation of "Benchmarking Allreduce", here "Allreduce". `year` is that of the benchmarks, because the
/// version of 2019 changed what a size means; 0: the log does not state it.
MpiTitle read_imb_title(std::string_view name, int year);

} // namespace ddlsim
