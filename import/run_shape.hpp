#pragma once
// The size of a log's run, by the command line and the log. It is an error if the two contradict each other.

#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// The numbers of a run. A number of 0 is not known.
struct RunShape {
  double gpus = 0;
  double global_batch = 0;        ///< samples of a step on all GPUs
  double sequence_length = 0;     ///< tokens of a sample
  double ranks = 0;               ///< number of processes, each of which prints its own rate
  std::vector<std::string> notes; ///< sentences on facts that were concluded and not read, with the reason
};

/// Returns the shape of a run whose step lines have that unit. Throws UserError about the file `where` if two
/// statements disagree.
RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where);

/// Returns the seconds of a step by the figure of a line; 0 if the shape lacks a number that this needs.
double step_seconds(double figure, StepUnit unit, const RunShape& shape);

/// Whether the figure is that of one process, which has some of the GPUs.
bool is_of_rank(StepUnit unit);

/// Returns which numbers of the shape this unit needs and which are missing, by the names of `--set`.
std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit);

} // namespace ddlsim
