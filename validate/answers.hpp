#pragma once
// What the methods answer in every split: asked one after another, or by several processes beside each other.

#include "sim/base/child_process.hpp"
#include "validate/split.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ddlsim {

/// Mean error of a series in a tier above which its prediction is explained.
inline constexpr double explained_error = 0.10;

/// A method that missed a series by more than explained_error, and why.
struct Miss {
  std::string method;
  double mean_error = 0;
  Explanation why;
};

/// Of one series in one split.
struct PartAnswers {
  std::vector<std::map<std::string, Forecast>> forecasts; ///< of each target, by method; absent where it had no answer
  std::vector<Miss> misses;                               ///< of T1, T2 and T3 only
};

/// What is asked, and who answers. It refers to what the caller keeps.
struct Inquiry {
  const std::vector<MeasurementFile>& files;
  const std::vector<Series>& series;
  const std::vector<Split>& splits;
  const std::vector<std::unique_ptr<Method>>& methods;
};

/// Runs the methods over all splits; by split, then by its parts. Without `run_tasks` all is done in this process. Else
/// the series of a cluster in a split are a task (of a method that remembers those of a cluster in all splits); answers
/// are the same to the bit. Throws std::runtime_error when a task fails.
std::vector<std::vector<PartAnswers>> ask_methods(const Inquiry& inquiry, const RunTasks& run_tasks);

// Between processes: every number to the bit. Throws UserError for bytes that are no answers.

std::string answers_to_bytes(const std::vector<PartAnswers>& answers);
std::vector<PartAnswers> answers_from_bytes(const std::string& bytes);

} // namespace ddlsim
