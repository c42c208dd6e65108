#pragma once
// Finds how many samples a step of a run has.

#include "import/run_shape.hpp"

#include <string>

namespace ddlsim {

/// Returns the samples of a step that one line states, or its tokens divided by the length of a sequence; 0: not
/// stated.
double stated_batch(const RunFacts& facts);

/// Returns the steps of a run by a trainer that states time and rate at its end; 0: it does not. Its rate counts all
/// planned steps. These include those of a run that it continues and, if it stops early, those that it did not take.
double steps_of_run(const RunFacts& facts);

/// Returns the samples of a step on all GPUs, by all that the log and the command line state; 0: not stated. Adds a
/// note to the shape if the number was concluded. Throws UserError about the file `where` if two statements disagree.
double batch_of_run(const TrainingLog& log, const ImportContext& stated, RunShape& shape, const std::string& where);

} // namespace ddlsim
