#pragma once
// How many samples a step of a run has.

#include "import/run_shape.hpp"

#include <string>

namespace ddlsim {

/// Samples of a step as one line states them, or its tokens over a sequence's; 0: not stated.
double stated_batch(const RunFacts& facts);

/// Steps that a trainer took which states its time and rate at its end; 0: it does not. Its rate counts all steps that
/// were planned: those of the run it goes on and, where it stops early, those it did not take.
double steps_of_run(const RunFacts& facts);

/// Samples of a step, all GPUs, by whatever the log and the command line say of them; 0: nothing. Adds a note to the
/// shape where they were concluded. Throws UserError, about the file `where`, when two statements disagree.
double batch_of_run(const TrainingLog& log, const ImportContext& stated, RunShape& shape, const std::string& where);

} // namespace ddlsim
