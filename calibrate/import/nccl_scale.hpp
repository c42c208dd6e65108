#pragma once
// How many GPUs and machines a run of nccl-tests used, from its device list.

#include "calibrate/import/nccl_run.hpp"

#include <string>

namespace ddlsim {

/// What one communicator spans.
struct NcclScale {
  int ranks = 0;         ///< 0: not known
  int nodes = 0;         ///< 0: not known
  int communicators = 1; ///< that ran side by side (NCCL_TESTS_SPLIT)
  std::string device;    ///< "Tesla V100-SXM2-16GB"; "" when not known
  std::string mistake;   ///< what is wrong with the device list; "" when nothing
};

/// Devices of one host name at the same PCI address stand in different machines. Zeros for an empty device list.
NcclScale scale_of(const NcclTable& table);

} // namespace ddlsim
