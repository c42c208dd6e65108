#pragma once
// Computes the answers of all methods in all splits, in this process or in several.

#include "sim/base/child_process.hpp"
#include "validate/split.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// Mean error of a series in a tier above which its prediction is explained.
inline constexpr double explained_error = 0.10;

/// A method whose mean error over a series is above explained_error, and the explanation.
struct LargeError {
  std::string method;
  double mean_error = 0;
  Explanation why;
};

/// The answers for one series in one split.
struct PartAnswers {
  /// forecasts of each target by method; a method without an answer is absent
  std::vector<std::map<std::string, Forecast>> forecasts;
  std::vector<LargeError> large_errors; ///< large errors, in T1, T2 and T3 only
};

/// The input of run_methods(). The caller keeps everything alive that it refers to.
struct Assessment {
  const std::vector<MeasurementFile>& files;
  const std::vector<Series>& series;
  const std::vector<Split>& splits;
  const std::vector<std::unique_ptr<Method>>& methods;
};

/// Runs the methods over all splits. The result is ordered by split, then by the split's parts. Without `run_tasks`
/// everything runs in this process. Else the series of a cluster in a split are one task; for a method that remembers
/// answers, the series of a cluster in all splits are one. The answers are the same to the last bit. Throws
/// std::runtime_error when a task fails.
std::vector<std::vector<PartAnswers>> run_methods(const Assessment& assessment, const RunTasks& run_tasks);

// Writes answers as bytes, which processes pass to each other; every number keeps all its bits. Reading throws
// UserError for other bytes.

std::string answers_to_bytes(const std::vector<PartAnswers>& answers);
std::vector<PartAnswers> answers_from_bytes(const std::string& bytes);

} // namespace ddlsim
