#pragma once
// Computes the answers of all methods in all splits, in this process or in several.

#include "sim/base/child_process.hpp"
#include "validate/split.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// A prediction is explained if the mean error of its series in a tier is above this.
inline constexpr double explained_error = 0.10;

/// A method whose mean error over a series is above explained_error, and the explanation.
struct LargeError {
  std::string method;
  double mean_error = 0;
  Explanation why;
};

/// The answers for one series in one split.
struct PartAnswers {
  std::vector<std::map<std::string, Forecast>> forecasts; ///< for each target, by method; absent if it had no answer
  std::vector<LargeError> large_errors;                   ///< of T1, T2 and T3 only
};

/// The input of run_methods(). The caller keeps alive all that it refers to.
struct Assessment {
  const std::vector<MeasurementFile>& files;
  const std::vector<Series>& series;
  const std::vector<Split>& splits;
  const std::vector<std::unique_ptr<Method>>& methods;
};

/// Runs the methods over all splits. The result is ordered by split, then by the split's parts. Without `run_tasks`
/// everything runs in this process. Otherwise the series of a cluster in a split are one task, or for a method that
/// remembers the series of a cluster in all splits; the answers are the same to the bit. Throws std::runtime_error when
/// a task fails.
std::vector<std::vector<PartAnswers>> run_methods(const Assessment& assessment, const RunTasks& run_tasks);

// Answers as bytes to pass between processes; every number keeps all its bits. Reading throws UserError for other
// bytes.

std::string answers_to_bytes(const std::vector<PartAnswers>& answers);
std::vector<PartAnswers> answers_from_bytes(const std::string& bytes);

} // namespace ddlsim
