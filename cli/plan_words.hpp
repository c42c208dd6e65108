#pragma once
// A plan's request that is stated in words: its machines and model become files that are kept.

#include "cli/options.hpp"
#include "own/new_plan.hpp"
#include "sim/base/error.hpp"

#include <filesystem>

namespace ddlsim {

/// Replaces the model, where it is a config of Hugging Face, by its layer table, and words of a machine by the folder of
/// its cluster. Both are kept in line.tables. Narrates what was assumed. Throws UserError.
void settle_words(PlanWords& words, long sequence, const CommandLine& line);

/// Makes the request and keeps it. Returns its file. Throws UserError as new_plan() does.
std::filesystem::path kept_request(PlanWords words, long sequence, const CommandLine& line);

/// Names the options in place of the fields of a request that was made of words.
UserError under_options(const UserError& error);

} // namespace ddlsim
