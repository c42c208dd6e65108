#pragma once
// The options of each command for the parser CLI11, with the texts of `ddlsim COMMAND --help`.

#include "cli/options.hpp"
#include "sim/base/units.hpp"

#include <CLI/CLI.hpp>

#include <string>
#include <vector>

namespace ddlsim {

/// Adds the options that every command has. They may stand before or after the command's name.
void add_common_options(CLI::App& app, CommandLine& line);
/// Adds a command with its examples and the options that every command has.
CLI::App& add_command(CLI::App& app, CommandLine& line, const std::string& name, const std::string& description);
void add_output(CLI::App& app, CommandLine& line, const std::string& what = "the result");
void add_json(CLI::App& app, CommandLine& line);
/// Adds `--threads`, which every computing command has.
/// Adds --sequence, for a model that is a config.
void add_sequence(CLI::App& app, long& sequence);
CLI::Option* add_threads(CLI::App& app, CommandLine& line);
/// Adds --html and --svg; returns both.
std::vector<CLI::Option*> add_picture(CLI::App& app, PictureFiles& files, const std::string& what);
/// Adds the options that change the scenario.
void add_changes(CLI::App& app, Variation& variation);

/// Returns a check of a number. It replaces CLI11's own checks, whose messages show the range of a double.
inline CLI::Validator a_number(const ExpectedNumber& expected) {
  return {[expected](const std::string& text) { return number_complaint(text, expected); }, ""};
}
inline CLI::Validator above_zero() {
  return a_number({.above_least = true});
}
inline CLI::Validator whole_above_zero() {
  return a_number({.above_least = true, .whole = true});
}

// The options of commands that predict or look at files, in command_options_asking.cpp.

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command);
void add_list(CLI::App& app, CommandLine& line, ListCommand& command);
void add_explain(CLI::App& app, CommandLine& line, ExplainCommand& command);
void add_schema(CLI::App& app, CommandLine& line, SchemaCommand& command);
void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation);
/// Adds `--model`, and `--sequence` for a config.
void add_model(CLI::App& app, std::string& model, long& sequence);
void add_export(CLI::App& app, CommandLine& line, ExportCommand& command, Variation& variation);

// The options of `plan`, in command_options_plan.cpp.

void add_plan(CLI::App& app, CommandLine& line, PlanCommand& command, std::vector<std::string>& set);
/// Adds the words of a request. `what` is put before each description.
void add_plan_words(CLI::App& app, PlanWords& words, const std::string& what);

/// Adds --price, whose meaning follows `what`.
void add_prices(CLI::App& app, PlanWords& words, const std::string& what);

// The options of commands that write files for the user, in command_options_own.cpp.

void add_new(CLI::App& app, CommandLine& line, NewCommand& command);

// The options of commands that read measurements, in command_options_measurement.cpp. `given` gets the NAME=VALUE
// arguments of --set.

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command);
void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given);
void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given);
/// Adds --map for tables of rates. `typed` gets its OURS=THEIRS arguments.
void add_map(CLI::App& app, std::vector<std::string>& typed);
/// Stores each NAME=COLUMN of --map in the context.
void settle_columns(const std::vector<std::string>& typed, ImportContext& context);

// The options of `diagnose`, in command_options_diagnose.cpp.

void add_diagnose(CLI::App& app, CommandLine& line, DiagnoseCommand& command, Variation& variation);

} // namespace ddlsim
