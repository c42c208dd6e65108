#pragma once
// The functions behind the commands. A result goes to standard output (or --output), and progress to standard error.
// Each function returns the exit code, and throws UserError for a mistake of the user.

#include "cli/narration.hpp"
#include "cli/options.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction.hpp"

#include <string>
#include <vector>

namespace ddlsim {

/// Runs ddlsim from its arguments to its exit code. The code is 2 for wrong use. It is 1, with one message on standard
/// error, if the command throws.
int run_program(int argc, char** argv);

int run_command(const CommandLine& line);

int run_check(const CheckCommand& command, const CommandLine& line);
int run_list(const ListCommand& command, const CommandLine& line);
/// Prints the meaning of a term. The exit code is 2 for a term that is not in the glossary.
int run_explain(const ExplainCommand& command, const CommandLine& line);
int run_schema(const SchemaCommand& command, const CommandLine& line);
/// A scenario file with changes to it.
struct SweepCase {
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::string variant; ///< the changes as text, as in "/batch_per_gpu=64 /cluster=iris"; "" for the unchanged file
};

/// Predicts the scenario with the command's strategies. Throws UserError.
Prediction predict_scenario(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                            const PredictOptions& options);
/// The exit code is 3 where none of the scales asked for is possible.
int run_predict(const PredictCommand& command, const CommandLine& line);

/// Whether the command predicts several scenarios: it has several files, or axes.
bool is_sweep(const PredictCommand& command);

/// Combines every file with every combination of the axes' values. The last axis changes fastest.
std::vector<SweepCase> sweep_cases(const PredictCommand& command);

/// Predicts the scenarios in parallel, as many at a time as `--threads` says. A scenario that fails has its error in
/// its row. The exit code is 0 if at least one succeeds, else 1.
int run_sweep(const PredictCommand& command, const CommandLine& line);

int run_plan(const PlanCommand& command, const CommandLine& line);
int run_calibrate(const CalibrateCommand& command, const CommandLine& line);
int run_validate(const ValidateCommand& command, const CommandLine& line);
/// Runs `validate --blind`: predicts records that no fit and no prior has used, adds the scores to the log, and prints
/// the new entries.
int run_blind(const ValidateCommand& command, const CommandLine& line);
/// Adds the shipped catalogue, models and clusters to a context in which names are looked up. The name of a cluster
/// that is not shipped is taken as typed.
ImportContext with_shipped_names(ImportContext context, const DataFolder& data);
int run_import(const ImportCommand& command, const CommandLine& line);
/// Whether this kind of `import` makes a layer table instead of records.
bool makes_model(const std::string& kind);
int run_model_import(const ImportCommand& command, const CommandLine& line);
/// Returns a layer table as the text of its file. Throws UserError that names `where` if `check` would refuse the
/// table, for example for its name.
std::string checked_table(const Model& model, const std::string& where);
/// Diagnoses a cluster. The exit code is 3 where the measured times are not those of a healthy cluster.
int run_diagnose(const DiagnoseCommand& command, const CommandLine& line);
int run_export(const ExportCommand& command, const CommandLine& line);
/// Makes a file for the user. At a terminal it asks for what is missing.
int run_new(const NewCommand& command, const CommandLine& line);

/// Returns the shipped files with the calibrations of clusters. A missing calibration is fitted when it is needed.
DataFolder fitted_data(const CommandLine& line);

/// Does the same for a scenario, and adds the scenario's own files.
DataFolder data_for(const CommandLine& line, const Scenario& scenario);

/// returns the known spelling of a strategy, such as "fsdp" for "FSDP"
std::string strategy_as_known(const std::string& typed);

/// Keeps the strategies with these names, or all if there are no names. Throws UserError for a name that the scenario
/// lacks.
void keep_strategies(Scenario& scenario, const std::vector<std::string>& names);

} // namespace ddlsim
