#pragma once
// Turns statements of a log and of the command line about a run into claims that can be compared.

#include "import/agreement.hpp"
#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Adds a statement of a line of the log. `words` has {} in place of the number, as in "{} GPUs".
void add_line(const std::optional<StatedFact>& stated, const char* words, std::vector<Claim>& claims);

/// Adds the last statement of a fact in the same way.
void add_stated(const RunFacts& facts, RunFact fact, const char* words, std::vector<Claim>& claims);

/// Adds the statement of `--set NAME=VALUE`.
void add_given(const ImportContext& stated, const char* name, std::vector<Claim>& claims);

/// Returns the number of `--set`: 512 for "--set batch_per_gpu=512"; 0 if it is not stated or no number.
double given_number(const ImportContext& stated, const std::string& name);

/// Returns the median of the first form that has that unit and times whole steps; 0 if there is none.
double rate_of(const TrainingLog& log, StepUnit unit);

/// Writes a count, as in "1,024" or "0.5".
std::string count_text(double count);

} // namespace ddlsim
