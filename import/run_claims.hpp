#pragma once
// What a log and the command line claim of a run, as sentences that can be held against each other.

#include "import/agreement.hpp"
#include "import/imported.hpp"
#include "import/training_log.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ddlsim {

/// Adds what a line of the log says, in `words` with {} for the number: "{} GPUs".
void add_line(const std::optional<StatedFact>& said, const char* words, std::vector<Claim>& claims);

/// The same of the fact's last statement.
void add_stated(const RunFacts& facts, RunFact fact, const char* words, std::vector<Claim>& claims);

/// Adds what `--set NAME=VALUE` says.
void add_given(const ImportContext& stated, const char* name, std::vector<Claim>& claims);

/// 512 of "--set batch_per_gpu=512"; 0 where it is not stated or no number.
double given_number(const ImportContext& stated, const std::string& name);

/// The median of the first form that has that unit and times whole steps; 0: none has.
double rate_of(const TrainingLog& log, StepUnit unit);

/// "1,024", "0.5".
std::string count_text(double count);

} // namespace ddlsim
