#pragma once
// What a table of the OSU micro-benchmarks or of Intel MPI Benchmarks measures, by its title.

#include <string>
#include <string_view>

namespace ddlsim {

/// The name for a message from one process to another, which is no collective.
inline constexpr const char* one_way_message = "one_way";

struct MpiTitle {
  std::string name;         ///< as in the log: "OSU MPI-CUDA Allreduce Latency Test v7.3", "Allreduce"; "": none yet
  std::string operation;    ///< as in records, or one_way_message; "": records have no such times
  std::string why_left_out; ///< the reason if there is no operation
  std::string library;      ///< "nccl" if the title says so; else ""
  /// The table's size is the bytes of each rank; records state those of all ranks together.
  bool is_part = false;
};

/// Reads titles like "OSU MPI Allreduce Latency Test v7.3" of any version, also those for CUDA, ROCm and NCCL.
MpiTitle read_osu_title(std::string_view title);

/// Reads the operation of "Benchmarking Allreduce", here "Allreduce". `year` is that of the benchmarks, because the
/// 2019 version changed the meaning of a size; 0: the log does not state it.
MpiTitle read_imb_title(std::string_view name, int year);

} // namespace ddlsim
