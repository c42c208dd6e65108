#pragma once

#include "import/imported.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What the command line states about every table of the file.
struct NcclGiven {
  std::string operation; ///< name in records; "" if not stated, as for the members below
  int ranks = 0;         ///< number of ranks; 0: not stated
  int nodes = 0;         ///< number of nodes; 0: not stated
  std::string transport;
  std::string algorithm;
};

/// Reads `stated.given`. Adds mistakes: a name that no log of collectives has, and values out of range.
NcclGiven read_nccl_given(const ImportContext& stated, std::vector<Mistake>& mistakes);

} // namespace ddlsim
