#pragma once
// The options of each command, as CLI11 reads them: the words of `ddlsim COMMAND --help`.

#include "cli/options.hpp"
#include "sim/base/units.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// Options of every command, before its name or after it.
void add_common_options(CLI::App& app, CommandLine& line);
/// A command with its examples and the options that every command has.
CLI::App& add_command(CLI::App& app, CommandLine& line, const std::string& name, const std::string& description);
void add_output(CLI::App& app, CommandLine& line, const std::string& what = "the result");
void add_json(CLI::App& app, CommandLine& line);
/// `--threads`, of every command that computes.
CLI::Option* add_threads(CLI::App& app, CommandLine& line);
/// `--resume`. `tasks`: the name of the tasks, in the plural.
CLI::Option* add_resume(CLI::App& app, CommandLine& line, const std::string& tasks);
CLI::Option* add_html(CLI::App& app, std::filesystem::path& file, const std::string& what);
/// Options that change the scenario of a command which asks one.
void add_changes(CLI::App& app, Variation& variation);

/// Checks a number. CLI11's own checks show the range of a double in their messages.
inline CLI::Validator a_number(const ExpectedNumber& expected) {
  return {[expected](const std::string& text) { return number_complaint(text, expected); }, ""};
}
inline CLI::Validator above_zero() {
  return a_number({.above_least = true});
}
inline CLI::Validator whole_above_zero() {
  return a_number({.above_least = true, .whole = true});
}

// Commands that ask the simulator, or look at files: command_options_asking.cpp.

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command);
void add_list(CLI::App& app, CommandLine& line, ListCommand& command);
void add_explain(CLI::App& app, CommandLine& line, ExplainCommand& command);
void add_schema(CLI::App& app, CommandLine& line, SchemaCommand& command);
void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation);
void add_plan(CLI::App& app, CommandLine& line, PlanCommand& command, std::vector<std::string>& set);
void add_export(CLI::App& app, CommandLine& line, ExportCommand& command, Variation& variation);

// Commands that make files of one's own: command_options_own.cpp.

void add_new(CLI::App& app, CommandLine& line, NewCommand& command);

// Commands that read measurements: command_options_measurement.cpp. `given`: NAME=VALUE of --set.

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command);
void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given);
void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given);
/// --map of tables of rates: OURS=THEIRS, as typed.
void add_map(CLI::App& app, std::vector<std::string>& typed);
/// Puts each NAME=COLUMN of --map into the context.
void settle_columns(const std::vector<std::string>& typed, ImportContext& context);

// command_options_diagnose.cpp

void add_diagnose(CLI::App& app, CommandLine& line, DiagnoseCommand& command, Variation& variation);

} // namespace ddlsim
