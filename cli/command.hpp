#pragma once
// What each command does: the result goes to standard output (or --output), narration to standard error. Each gives the
// exit code and throws UserError for the person's mistakes.

#include "cli/narration.hpp"
#include "cli/options.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

/// What ddlsim and ddlsim-mpi do from their arguments to their exit code: `run` runs the command. The code is 2 for
/// wrong use, and 1, with one message on standard error, where `run` throws. Only with `prints` is anything printed
/// here.
int run_program(int argc, char** argv, const std::function<int(const CommandLine&)>& run, bool prints = true);

int run_command(const CommandLine& line);

int run_check(const CheckCommand& command, const CommandLine& line);
int run_list(const ListCommand& command, const CommandLine& line);
/// Exit code 2 for a term that is not in the glossary.
int run_explain(const ExplainCommand& command, const CommandLine& line);
int run_schema(const SchemaCommand& command, const CommandLine& line);
/// One scenario file with its changes.
struct SweepCase {
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::string variant; ///< what differs from the file: "/batch_per_gpu=64 /cluster=iris"; "" for the file as it is
};

/// Predicts with the command's strategies. Throws UserError.
Prediction predict_scenario(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                            const PredictOptions& options);
int run_predict(const PredictCommand& command, const CommandLine& line);

/// Whether the command asks several questions: several files, or axes.
bool is_sweep(const PredictCommand& command);

/// Every file with every combination of the axes' values, the last axis changing fastest.
std::vector<SweepCase> sweep_cases(const PredictCommand& command);

/// Predicts them beside each other, `--threads` at a time. A scenario with an error is a row with it; exit 0 when
/// one or more could, else 1.
int run_sweep(const PredictCommand& command, const CommandLine& line);

int run_plan(const PlanCommand& command, const CommandLine& line);
int run_calibrate(const CalibrateCommand& command, const CommandLine& line);
int run_validate(const ValidateCommand& command, const CommandLine& line);
/// `validate --blind`: predicts records that no fit or prior has used, appends to the log, prints what was appended.
int run_blind(const ValidateCommand& command, const CommandLine& line);
/// A context with the shipped catalogue, models and clusters to look names up in; a cluster that is not shipped is
/// taken as typed.
ImportContext with_shipped_names(ImportContext context, const DataFolder& data);
int run_import(const ImportCommand& command, const CommandLine& line);
/// The kinds of `import` that make a layer table in place of records.
bool makes_model(const std::string& kind);
int run_model_import(const ImportCommand& command, const CommandLine& line);
/// A layer table as its file. Throws UserError that names `where` if `check` would refuse it, for example for its name.
std::string checked_table(const Model& model, const std::string& where);
/// Exit code 3 where the measured times are not those of a healthy cluster.
int run_diagnose(const DiagnoseCommand& command, const CommandLine& line);
int run_export(const ExportCommand& command, const CommandLine& line);
/// Asks for what is missing, at a terminal.
int run_new(const NewCommand& command, const CommandLine& line);

/// The shipped files, with the calibrations of clusters, which are fitted when they are needed.
DataFolder fitted_data(const CommandLine& line);

/// The same, with the scenario's own files.
DataFolder data_for(const CommandLine& line, const Scenario& scenario);

std::string strategy_as_known(const std::string& typed); ///< "FSDP" as fsdp

/// Keeps the strategies with one of these names, all for none; a name that the scenario lacks is an error.
void keep_strategies(Scenario& scenario, const std::vector<std::string>& names);

} // namespace ddlsim
