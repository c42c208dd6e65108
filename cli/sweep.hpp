#pragma once
// Several questions in one command: scenario files and the values that places of them take in turn.

#include "cli/options.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// One scenario of a sweep.
struct SweepCase {
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::string
      variant; ///< what sets it apart from the file: "/batch_per_gpu=64 /cluster=iris"; "" for the file as it is
};

/// Every file with every combination of the axes' values, the last axis changing fastest.
std::vector<SweepCase> sweep_cases(const PredictCommand& command);

/// Predicts them beside each other, `--jobs` at a time. A scenario that cannot be is a row with its error; exit 0 when
/// one or more could, else 1.
int run_sweep(const PredictCommand& command, const CommandLine& line);

} // namespace ddlsim
