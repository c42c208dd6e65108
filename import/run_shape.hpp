#pragma once
// How large the run of a log was: what the command line states and the log says, held against each other.

#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// 0 is not known.
struct RunShape {
  double gpus = 0;
  double global_batch = 0;        ///< samples of a step, all GPUs
  double sequence_length = 0;     ///< tokens of a sample
  double ranks = 0;               ///< processes of which each prints a rate of its own
  std::vector<std::string> notes; ///< what was concluded rather than read, and from what
};

/// The shape of a run whose step times have that unit. Throws UserError, about the file `where`, when two statements
/// disagree.
RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where);

/// Seconds of a step of what a line says; 0 where the shape lacks what that needs.
double step_seconds(double figure, StepUnit unit, const RunShape& shape);

/// Whether the figure is one process's, which has some of the GPUs.
bool is_of_rank(StepUnit unit);

/// What of the shape that needs and lacks, by the names of `--set`.
std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit);

} // namespace ddlsim
