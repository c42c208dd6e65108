#pragma once
// What algbw and busbw of nccl-tests mean: NVIDIA/nccl-tests doc/PERFORMANCE.md.

#include "calibrate/nccl_run.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A collective operation whose rows can become records.
struct NcclOperation {
  std::string program;   ///< alltoall of alltoall_perf
  std::string name;      ///< as records have it: all_to_all
  bool reduces = false;  ///< its rows have a redop
  bool has_root = false; ///< its rows have a root
  int turns = 1;         ///< busbw = algbw x turns x (ranks - 1) / ranks
  bool whole = false;    ///< busbw = algbw instead
};

const std::vector<NcclOperation>& nccl_operations();

/// busbw / algbw of the operation.
double bus_factor(const NcclOperation& operation, int ranks);

/// "" when algbw = size / time and busbw = algbw x bus_factor hold within the rounding of the printed digits; else what
/// contradicts what.
std::string bandwidth_contradiction(const NcclTiming& timing, double size_bytes, const NcclOperation& operation,
                                    int ranks);

/// The operations that the table's columns and all its bandwidths allow.
std::vector<NcclOperation> possible_operations(const NcclTable& table, int ranks);

} // namespace ddlsim
