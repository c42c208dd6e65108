#pragma once
// Finds how many samples a step of a run has.

#include "import/run_shape.hpp"

#include <string>

namespace ddlsim {

/// Samples per step as one line states them, or its tokens divided by the sequence length; 0: not stated.
double stated_batch(const RunFacts& facts);

/// Steps of a run by a trainer that states time and rate at its end; 0: it does not. Its rate counts all planned steps:
/// also those of a run that it continues and, if it stops early, those not taken.
double steps_of_run(const RunFacts& facts);

/// Samples per step on all GPUs, from all that the log and the command line state; 0: not stated. Adds a note to the
/// shape if they were concluded. Throws UserError about the file `where` if two statements disagree.
double batch_of_run(const TrainingLog& log, const ImportContext& stated, RunShape& shape, const std::string& where);

} // namespace ddlsim
