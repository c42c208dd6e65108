#pragma once
// The functions behind the commands. The result goes to standard output (or --output), progress to standard error. Each
// returns the exit code and throws UserError for the user's mistakes.

#include "cli/narration.hpp"
#include "cli/options.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction.hpp"

#include <functional>
#include <string>
#include <vector>

namespace ddlsim {

/// Runs ddlsim or ddlsim-mpi from its arguments to its exit code; `run` executes the command. The code is 2 for wrong
/// use, and 1, with one message on standard error, if `run` throws. Nothing is printed here unless `prints`.
int run_program(int argc, char** argv, const std::function<int(const CommandLine&)>& run, bool prints = true);

int run_command(const CommandLine& line);

int run_check(const CheckCommand& command, const CommandLine& line);
int run_list(const ListCommand& command, const CommandLine& line);
/// Exit code 2 for a term that is not in the glossary.
int run_explain(const ExplainCommand& command, const CommandLine& line);
int run_schema(const SchemaCommand& command, const CommandLine& line);
/// One scenario file with changes to it.
struct SweepCase {
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::string variant; ///< the changes as text: "/batch_per_gpu=64 /cluster=iris"; "" for the unchanged file
};

/// Predicts the scenario with the command's strategies. Throws UserError.
Prediction predict_scenario(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                            const PredictOptions& options);
int run_predict(const PredictCommand& command, const CommandLine& line);

/// Whether the command predicts several scenarios: it has several files, or axes.
bool is_sweep(const PredictCommand& command);

/// Combines every file with every combination of the axes' values; the last axis changes fastest.
std::vector<SweepCase> sweep_cases(const PredictCommand& command);

/// Predicts the scenarios in parallel, `--threads` at a time. The row of a scenario that fails has its error. The exit
/// code is 0 if at least one succeeds, else 1.
int run_sweep(const PredictCommand& command, const CommandLine& line);

int run_plan(const PlanCommand& command, const CommandLine& line);
int run_calibrate(const CalibrateCommand& command, const CommandLine& line);
int run_validate(const ValidateCommand& command, const CommandLine& line);
/// `validate --blind`: predicts records that no fit or prior has used, appends the scores to the log, and prints the
/// new entries.
int run_blind(const ValidateCommand& command, const CommandLine& line);
/// Adds the shipped catalogue, models and clusters to a context for looking names up. The name of a cluster that is not
/// shipped is taken as typed.
ImportContext with_shipped_names(ImportContext context, const DataFolder& data);
int run_import(const ImportCommand& command, const CommandLine& line);
/// Whether this kind of `import` makes a layer table instead of records.
bool makes_model(const std::string& kind);
int run_model_import(const ImportCommand& command, const CommandLine& line);
/// A layer table as the text of its file. Throws UserError that names `where` if `check` would refuse the table, for
/// example for its name.
std::string checked_table(const Model& model, const std::string& where);
/// Exit code 3 where the measured times are not those of a healthy cluster.
int run_diagnose(const DiagnoseCommand& command, const CommandLine& line);
int run_export(const ExportCommand& command, const CommandLine& line);
/// Asks for what is missing, at a terminal.
int run_new(const NewCommand& command, const CommandLine& line);

/// The shipped files with calibrations of clusters; a missing calibration is fitted when it is needed.
DataFolder fitted_data(const CommandLine& line);

/// The same for a scenario, with the scenario's own files added.
DataFolder data_for(const CommandLine& line, const Scenario& scenario);

std::string strategy_as_known(const std::string& typed); ///< the known spelling of a strategy: "fsdp" for "FSDP"

/// Keeps the strategies with these names; an empty list keeps all. Throws UserError for a name that the scenario lacks.
void keep_strategies(Scenario& scenario, const std::vector<std::string>& names);

} // namespace ddlsim
