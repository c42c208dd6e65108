#pragma once
// How large the run of a log was: what the command line states and the log says, held against each other.

#include "import/agreement.hpp"
#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// 0 is not known.
struct RunShape {
  double gpus = 0;
  double global_batch = 0;    ///< samples of a step, all GPUs
  double sequence_length = 0; ///< tokens of a sample
  double ranks = 0;           ///< processes of which each prints a rate of its own
};

/// Of steps whose figures have that unit. Throws UserError, about the file `where`, when two statements disagree.
RunShape shape_of_run(const TrainingLog& log, const ImportContext& stated, StepUnit unit, const std::string& where);

/// Seconds of a step of what a line says; 0 where the shape lacks what that needs.
double step_seconds(double figure, StepUnit unit, const RunShape& shape);

/// What of the shape that needs and lacks, by the names of `--set`.
std::vector<std::string> unknown_of(const RunShape& shape, StepUnit unit);

/// 512 of "--set batch_per_gpu=512"; 0 where it is not stated or no number.
double given_number(const ImportContext& stated, const std::string& name);

/// "1,024", "0.5".
std::string count_text(double count);

} // namespace ddlsim
