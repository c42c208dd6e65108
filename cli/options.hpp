#pragma once
// Parses the arguments into one checked struct. No later code reads arguments.

#include "import/imported.hpp"
#include "own/new_plan.hpp"
#include "sim/base/json.hpp"
#include "sim/formats/data_folder.hpp"
#include "sim/simgrid/executor.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ddlsim {

struct CheckCommand {
  std::vector<std::filesystem::path> files;
  long sequence = 0;    ///< tokens a sample of a config of Hugging Face; 0: not given
  bool details = false; ///< whether every file has a line, however many there are
};

struct ListCommand {
  std::string what;     ///< "models", "gpus", "clusters", "presets", "inputs" or "convergence"
  std::string word;     ///< what names or titles must contain; "": all are listed
  bool details = false; ///< whether to print all figures, not a screen
};

/// The `explain` command: the meaning of a word that a command prints.
struct ExplainCommand {
  std::vector<std::string> words; ///< words of one term; empty: all terms are listed
};

/// The `schema` command: the keys of a kind of file.
struct SchemaCommand {
  std::string format;    ///< the format of the output, one of those in file_formats.hpp
  bool markdown = false; ///< whether to print a table and not a JSON schema
};

/// A field of a scenario and the values that a sweep gives it.
struct SweepAxis {
  std::string path; ///< JSON pointer
  std::vector<std::string> values;
};

/// The files of an answer's picture; empty: none.
struct PictureFiles {
  std::filesystem::path html; ///< the page
  std::filesystem::path svg;  ///< the main chart
};

struct PredictCommand {
  std::vector<std::filesystem::path> scenarios;
  std::vector<SweepAxis> axes;         ///< axes; every combination of their values is a scenario
  std::vector<JsonChange> changes;     ///< changes of the scenario, made before it is checked
  std::vector<std::string> strategies; ///< names of the scenario's strategies to keep; empty: all
  long sequence = 0;                   ///< tokens a sample of a model that is a config of Hugging Face; 0: not given
  bool csv = false;
  bool markdown = false;
  std::string form{};   ///< "allocation": the Markdown is a request for an allocation
  bool details = false; ///< whether to print every strategy and scale, not a screen
  bool why = false;     ///< whether to explain what the prediction of each strategy is based on
  Fidelity fidelity = Fidelity::by_default;
  std::filesystem::path trace; ///< file for the trace of one simulated iteration; empty: none
  PictureFiles picture;
  std::string collective;         ///< "all-reduce": print tables over sizes; "": print iterations
  std::vector<std::string> sizes; ///< sizes of the collective, such as 4MiB; empty: the default sizes
};

struct DiagnoseCommand {
  std::filesystem::path scenario;      ///< the scenario among `logs`, set by run_diagnose()
  std::vector<JsonChange> changes;     ///< changes of the scenario, made before it is checked
  std::vector<std::string> strategies; ///< names of strategies, as for predict; the first one is used
  /// files as typed: a scenario, what `ddlsim import` reads, or records (.jsonl)
  std::vector<std::filesystem::path> logs;
  int ranks = 0;                              ///< number of GPUs, for logs that do not state it; 0: not given
  int nodes = 0;                              ///< number of nodes, in the same way
  std::vector<std::string> map;               ///< texts OURS=THEIRS, as typed
  std::map<std::string, std::string> columns; ///< columns of tables of rates, as ImportContext has them
  std::vector<std::string> steps;             ///< texts GPUS=TIME
  double level = 0.05;                        ///< share of healthy clusters that may be called not normal
  bool details = false;
  bool follow = false;
  std::string follow_for; ///< a time as typed; "": it runs until interrupted
  PictureFiles picture;
  // The options from here on replace a scenario.
  std::string cluster;
  std::string gpu;
  std::vector<std::string> networks; ///< texts in the form that ClusterRequest has
  int gpus_per_node = 0;
  std::string model;
  long sequence = 0; ///< as for predict
  double batch_per_gpu = 0;
  std::string precision;
  std::string preset;
  std::string transport;
};

struct PlanCommand {
  std::filesystem::path request;   ///< file of the request; with `words.machines` the model
  std::vector<JsonChange> changes; ///< changes of the request, made before it is checked
  std::string model;               ///< in place of the workload's; "": that one
  long sequence = 0;               ///< tokens a sample of a model that is a config of Hugging Face; 0: not given
  PlanWords words;                 ///< the request in words; without machines the request is a file
  bool csv = false;
  bool markdown = false;
  bool details = false; ///< whether to print every sentence and the best options, not a screen
  PictureFiles picture;
};

/// The formats of other tools.
enum class ExportFormat { chakra, simgrid };

struct ExportCommand {
  ExportFormat format = ExportFormat::chakra;
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::vector<std::string> strategies; ///< names of strategies, as for predict; the first one is used
  long sequence = 0;                   ///< as for predict
};

struct ValidateCommand {
  /// the user's files, which are added to the shipped ones; .csv: tables of rates
  std::vector<std::filesystem::path> measurements;
  ImportContext context;    ///< facts about the tables; only its cluster is scored, "": all are
  bool collectives = false; ///< whether to score tables of all-reduces over sizes in place of steps
  bool ratios = false;      ///< whether to score speed-ups and efficiencies of unknown base rate in place of steps
  bool own_only = false;    ///< whether to score only the user's own series
  std::vector<std::string> splits;  ///< names of splits; empty: all
  std::vector<std::string> sites;   ///< sites whose series are scored; empty: all, or those of the thresholds
  std::vector<std::string> without; ///< parameters and residual terms, each of which is left out alone
  bool details = false;             ///< whether to print every score, not a screen
  bool blind = false;               ///< whether to predict the records of the files and log the errors
  std::vector<std::filesystem::path> blind_files; ///< records that no fit and no prior has used; empty: show the log
  /// the next options say what the prediction may use; if none is set, each is used in turn
  bool nothing_known = false;
  bool one_gpu_known = false;
  bool one_node_known = false;
  bool form_in_sight = false;      ///< whether somebody who knew the results chose the form of the model
  std::filesystem::path blind_log; ///< file of the log; empty: validate/blind.jsonl of the data folder
  int placebos = 0;                ///< number of simulators whose priors are moved at random
  PictureFiles picture;
  std::filesystem::path thresholds;        ///< file with the accuracy that must not be lost; empty: no comparison
  std::filesystem::path update_thresholds; ///< file for the figures that were reached; empty: none
};

/// Whether the file is a table of rates, by the ending of its name.
bool is_csv(const std::filesystem::path& file);

struct CalibrateCommand {
  std::string cluster;  ///< "" with priors, kernels or all
  bool priors = false;  ///< whether to fit priors.json to the records of all clusters
  bool kernels = false; ///< fit kernel-rates.json to the tables of all GPUs
  bool all = false;     ///< whether to keep a calibration of each cluster that has records
  bool details = false; ///< whether to print every parameter, series and table after the first screen
  PictureFiles picture;
};

struct ImportCommand {
  std::string kind; ///< a kind of importers() or model_imports(); "": guessed from the file
  std::filesystem::path file;
  ImportContext context;
  std::vector<std::string> map;   ///< texts OURS=THEIRS, as typed
  long sequence = 0;              ///< tokens per sample of a model; 0: not given
  std::string name;               ///< name of a model; "": the name of the output file
  std::string attention = "sdpa"; ///< attention of a model: "sdpa" or "eager"
  std::filesystem::path layers;   ///< file for the layer table of a trace; empty: none
};

/// The `new` command: writes a cluster, scenario or GPU file from a few words.
struct NewCommand {
  std::string what;           ///< "cluster", "scenario" or "gpu"
  std::filesystem::path name; ///< name of the folder, or of the file without .json
  std::string gpu;
  int gpus_per_node = 0;
  int nodes = 0;
  std::vector<std::string> networks;
  std::string links;
  int most_nodes = 0;
  bool from_machine = false;
  std::filesystem::path sysfs = "/sys"; ///< folder to read, which may be a copy from another machine
  std::filesystem::path slurm;          ///< file with the output of `scontrol show node`, or slurm.conf; empty: none
  std::string slurm_gpu;                ///< Slurm's name of the GPU, which selects one of several kinds of nodes
  std::string partition;                ///< partition, which selects one of several kinds of nodes
  std::filesystem::path topology;       ///< file from nvidia-smi, NCCL or lstopo; empty: none
  std::string model;
  long sequence = 0; ///< as for predict
  std::string cluster;
  double batch_per_gpu = 0;
  std::string precision;
  std::string preset;
  std::vector<int> gpus;
  std::vector<std::string> strategies;
  std::string like;                         ///< for a new GPU: the similar GPU of the catalogue
  std::map<std::string, std::string> peaks; ///< peaks of a GPU by precision
  std::string memory;
  std::string bandwidth;
  std::string power;
  int year = 0;
  PlanWords plan; ///< words of a new plan; its model is above
};

/// The kinds of files from which `ddlsim import` makes models: the word on the command line, and a description.
const std::vector<std::pair<std::string, std::string>>& model_imports();

struct CommandLine {
  std::variant<CheckCommand, ListCommand, PredictCommand, PlanCommand, CalibrateCommand, ValidateCommand, ImportCommand,
               ExportCommand, DiagnoseCommand, NewCommand, ExplainCommand, SchemaCommand>
      command;
  std::filesystem::path data_folder; ///< folder that holds platforms/ and scenarios/
  std::filesystem::path tables;      ///< folder that keeps layer tables of configs; empty: there is none
  CalibrationSource calibrations{};  ///< gives the calibrations of clusters, kept or fitted when needed
  std::filesystem::path output;      ///< file for the result; empty: standard output
  bool json = false;
  bool quiet = false;
  int threads = 0; ///< number of tasks at a time; at least one after parsing
};

/// The text and the exit code with which to stop after help, version or wrong use.
struct EarlyExit {
  int code = 0;
  std::string out; ///< text for standard output
  std::string err; ///< text for standard error
};
/// Returns the parsed command line, or the reason to stop. `data_folder` is the folder of the shipped files unless
/// --data names another.
std::variant<CommandLine, EarlyExit> parse_command_line(int argc, const char* const* argv,
                                                        const std::filesystem::path& data_folder);

/// Returns the end of the --help text of a command, or of the program for "": example commands that work in the folder
/// of ddlsim. There is no final line end.
std::string examples_of(const std::string& command);

// The changes of a scenario that the command line asks for: as typed, and as changes of the document.

/// Changes of a scenario from the command line, as typed.
struct Variation {
  std::vector<std::string> gpus{}; ///< counts, and ranges FEWEST..MOST
  std::string cluster{};
  std::string model{};
  double global_batch = 0; ///< 0: not given
  double micro_batch = 0;
  std::vector<std::string> set{};   ///< texts /json/path=VALUE
  std::vector<std::string> sweep{}; ///< texts /json/path=A,B,C
};

/// Returns the counts of "8" and "8..4096", of which a range has about two an octave; empty with what is wrong in `wrong`.
std::vector<int> gpu_counts(const std::vector<std::string>& words, std::string& wrong);

/// Splits "NAME=VALUE" words into pairs. `wrong` gets the first word that is not one.
std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words, std::string& wrong);

/// Returns the changes in the order in which they are made: --set first, then --gpus and --cluster, which may set the
/// same fields.
std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong);

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong);

} // namespace ddlsim
