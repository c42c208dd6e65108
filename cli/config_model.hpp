#pragma once
// A config.json of Hugging Face Transformers where a question names a model: its layer table is made and kept.

#include "cli/options.hpp"
#include "sim/formats/scenario.hpp"

#include <nlohmann/json_fwd.hpp>

#include <filesystem>
#include <string>
#include <vector>

namespace ddlsim {

/// Returns the path of a layer table where `model`, as `file` names it, is the path of a config; else `model` itself.
/// The table is made of `sequence` tokens a sample, and kept in line.tables. Notes what was assumed. Throws UserError
/// with every mistake of the config.
std::string table_of_config(const std::string& model, const std::filesystem::path& file, long sequence,
                            const CommandLine& line, std::vector<std::string>& notes);

/// The same for the model that a scenario or a plan request names, whose own "sequence" counts where `sequence` is 0.
void make_table_of_model(nlohmann::json& document, const std::filesystem::path& file, long sequence,
                         const CommandLine& line, std::vector<std::string>& notes);

/// check_file() that also takes a config, and a config in the place of a question's model.
std::string check_asked(const std::filesystem::path& file, long sequence, const CommandLine& line);

/// read_known_scenario() that also takes a config in the place of the scenario's model. What was assumed of it comes
/// first in name_notes.
Scenario read_asked_scenario(const std::filesystem::path& file, std::vector<JsonChange> changes, long sequence,
                             const CommandLine& line);

} // namespace ddlsim
