#pragma once
// The size of a log's run, from the command line and the log. Contradictions between the two are errors.

#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// A figure of 0 is not known.
struct RunShape {
  double gpus = 0;
  double global_batch = 0;        ///< samples of a step on all GPUs
  double sequence_length = 0;     ///< tokens per sample
  double ranks = 0;               ///< processes, each of which prints its own rate
  std::vector<std::string> notes; ///< on facts that were concluded and not read, with the reason
};

/// The shape of a run whose step lines have that unit. Throws UserError about the file `where` if two statements
/// disagree.
RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where);

/// Seconds per step from the figure of a line; 0 if the shape lacks a number that this needs.
double step_seconds(double figure, StepUnit unit, const RunShape& shape);

/// Whether the figure is that of one process, which has some of the GPUs.
bool is_of_rank(StepUnit unit);

/// The numbers of the shape that this unit needs and that are missing, by the names of `--set`.
std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit);

} // namespace ddlsim
