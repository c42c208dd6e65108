#pragma once

#include "import/imported.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// What the command line states about every table of the file.
struct NcclGiven {
  std::string operation; ///< as records have it; "" if not stated, also below
  int ranks = 0;         ///< 0: not said
  int nodes = 0;         ///< 0: not said
  std::string transport;
  std::string algorithm;
};

/// Reads `stated.given`. Adds mistakes: a name that no log of collectives has, and values out of range.
NcclGiven read_nccl_given(const ImportContext& stated, std::vector<Mistake>& mistakes);

} // namespace ddlsim
