#pragma once
// What each command does: the result goes to standard output (or --output), narration to standard error. Each gives the
// exit code and throws UserError for the person's mistakes.

#include "cli/options.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/prediction.hpp"

#include <functional>

namespace ddlsim {

int run_command(const CommandLine& line);

int run_check(const CheckCommand& command, const CommandLine& line);
int run_list(const ListCommand& command, const CommandLine& line);
/// One scenario file with its changes, as the command says. Throws UserError.
Prediction predict_scenario(const std::filesystem::path& file, const std::vector<JsonChange>& changes,
                            const PredictCommand& command, const CommandLine& line,
                            const std::function<void(const std::string&)>& progress);
int run_predict(const PredictCommand& command, const CommandLine& line);
int run_calibrate(const CalibrateCommand& command, const CommandLine& line);
int run_validate(const ValidateCommand& command, const CommandLine& line);
/// What the shipped data say about the names in a context; a cluster that is not shipped is taken as the person or the
/// file says it.
ImportContext with_shipped_names(ImportContext context, const DataFolder& data);
int run_import(const ImportCommand& command, const CommandLine& line);

/// To the --output file, whole or not at all, else to standard output.
void emit(const CommandLine& line, const std::string& text);

/// One line on standard error unless --quiet.
void narrate(const CommandLine& line, const std::string& text);

} // namespace ddlsim
