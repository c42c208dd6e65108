#pragma once
// The options of each command, as CLI11 reads them: the words of `ddlsim COMMAND --help`.

#include "cli/options.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/data_folder.hpp"

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
/// Of every command that computes.
CLI::Option* add_threads(CLI::App& app, CommandLine& line);
/// `tasks`: what is done beside each other, in the plural.
CLI::Option* add_resume(CLI::App& app, CommandLine& line, const std::string& tasks);
CLI::Option* add_html(CLI::App& app, std::filesystem::path& file, const std::string& what);
/// Options that change the scenario of a command which asks one.
void add_changes(CLI::App& app, Variation& variation);

/// Of a number. CLI11's own checks show the range of a double in their messages.
inline CLI::Validator a_number(const ExpectedNumber& expected) {
  return {[expected](const std::string& text) { return number_complaint(text, expected); }, ""};
}
inline CLI::Validator above_zero() {
  return a_number({.above_least = true});
}
inline CLI::Validator whole_above_zero() {
  return a_number({.above_least = true, .whole = true});
}

// Commands that ask the simulator, or look at files: asking_options.cpp.

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command);
void add_list(CLI::App& app, CommandLine& line, ListCommand& command);
void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation);
void add_plan(CLI::App& app, CommandLine& line, PlanCommand& command, std::vector<std::string>& set);
void add_export(CLI::App& app, CommandLine& line, ExportCommand& command, Variation& variation);

// Commands that make files of one's own: own_options.cpp.

void add_new(CLI::App& app, CommandLine& line, NewCommand& command);

// Commands that read measurements: measurement_options.cpp. `given`: NAME=VALUE of --set.

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command);
void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given);
void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given);
/// --map of tables of rates: OURS=THEIRS, as typed.
void add_map(CLI::App& app, std::vector<std::string>& typed);
/// The file's name of a column, by ours.
void settle_columns(const std::vector<std::string>& typed, ImportContext& context);

// diagnose_options.cpp

void add_diagnose(CLI::App& app, CommandLine& line, DiagnoseCommand& command, Variation& variation);

// What a shell offers when Tab is pressed after `ddlsim ...`.

/// The words that the last of `words` may become, one a line, sorted: commands, options of the command, or values of an
/// option or argument that takes one of a known set of names. "" where any file may stand. `words`: what stands after
/// "ddlsim", the last one as far as it is typed. A folder without data offers no names of files in it.
std::string completions(const CLI::App& app, const std::vector<std::string>& words, const DataFolder& data);

} // namespace ddlsim
