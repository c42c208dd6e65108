#pragma once
// The answers of all methods in all splits, computed in this process or by several processes at a time.

#include "sim/base/child_process.hpp"
#include "validate/split.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// Mean error of a series in a tier above which its prediction is explained.
inline constexpr double explained_error = 0.10;

/// A method whose mean error over a series is above explained_error, and why.
struct LargeError {
  std::string method;
  double mean_error = 0;
  Explanation why;
};

/// The answers for one series in one split.
struct PartAnswers {
  std::vector<std::map<std::string, Forecast>> forecasts; ///< of each target, by method; absent where it had no answer
  std::vector<LargeError> large_errors;                   ///< of T1, T2 and T3 only
};

/// What is predicted, and by which methods. The caller keeps all that it refers to.
struct Assessment {
  const std::vector<MeasurementFile>& files;
  const std::vector<Series>& series;
  const std::vector<Split>& splits;
  const std::vector<std::unique_ptr<Method>>& methods;
};

/// Runs the methods over all splits; by split, then by its parts. Without `run_tasks` all is done in this process. Else
/// the series of a cluster in a split are a task (of a method that remembers those of a cluster in all splits); answers
/// are the same to the bit. Throws std::runtime_error when a task fails.
std::vector<std::vector<PartAnswers>> run_methods(const Assessment& assessment, const RunTasks& run_tasks);

// The bytes that pass between processes keep every number to the bit. Reading throws UserError for other bytes.

std::string answers_to_bytes(const std::vector<PartAnswers>& answers);
std::vector<PartAnswers> answers_from_bytes(const std::string& bytes);

} // namespace ddlsim
