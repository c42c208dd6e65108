#pragma once
// What a table of the OSU micro-benchmarks or of Intel MPI Benchmarks times, by its title.

#include <string>
#include <string_view>

namespace ddlsim {

/// Operation of a message from one process to another, which is no collective.
inline constexpr const char* one_way_message = "one_way";

struct MpiTitle {
  std::string name;      ///< as the log has it: "OSU MPI-CUDA Allreduce Latency Test v7.3", "Allreduce"; "": none yet
  std::string operation; ///< that records have, or one_way_message; "": records have no such times
  std::string why_left_out; ///< without an operation
  std::string library;      ///< "nccl" where the title says it; ""
  /// The table's size is what each rank gives or gets; records have that of all ranks together.
  bool is_part = false;
};

/// "OSU MPI Allreduce Latency Test v7.3" of any version, also of CUDA's, ROCm's and NCCL's.
MpiTitle read_osu_title(std::string_view title);

/// "Allreduce" of "Benchmarking Allreduce". `year` of the benchmarks: 2019 changed a size; 0: the log does not say it.
MpiTitle read_imb_title(std::string_view name, int year);

} // namespace ddlsim
