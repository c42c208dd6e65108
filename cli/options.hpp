#pragma once
// Parses the arguments into one checked struct; no later code reads arguments.

#include "import/imported.hpp"
#include "sim/base/child_process.hpp"
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
};

struct ListCommand {
  std::string what; ///< models, gpus, clusters, presets, inputs, convergence
};

/// The `explain` command: the meaning of a word that a command prints.
struct ExplainCommand {
  std::vector<std::string> words; ///< the words of one term; empty: all terms are listed
};

/// The `schema` command: the keys of a kind of file.
struct SchemaCommand {
  std::string format;    ///< a format of file_formats.hpp
  bool markdown = false; ///< a table instead of a JSON schema
};

/// A field of a scenario and the values that a sweep gives it.
struct SweepAxis {
  std::string path; ///< JSON pointer
  std::vector<std::string> values;
};

struct PredictCommand {
  std::vector<std::filesystem::path> scenarios;
  std::vector<SweepAxis> axes;         ///< every combination is a scenario of its own
  std::vector<JsonChange> changes;     ///< to the scenario, before it is checked
  std::vector<std::string> strategies; ///< names of the scenario's strategies to keep; empty: all
  bool csv = false;
  bool markdown = false;
  bool why = false; ///< explain for each strategy what its prediction is based on
  Fidelity fidelity = Fidelity::by_default;
  std::filesystem::path trace;    ///< file for one simulated iteration; empty: none
  std::filesystem::path html;     ///< file for the page; empty: no page
  std::string collective;         ///< all-reduce: tables over sizes instead of iterations; "": iterations
  std::vector<std::string> sizes; ///< of the collective, like 4MiB; empty: the default sizes
};

struct DiagnoseCommand {
  std::filesystem::path scenario;             ///< set by run_diagnose(): the scenario among `logs`
  std::vector<JsonChange> changes;            ///< to the scenario, before it is checked
  std::vector<std::string> strategies;        ///< as for predict; the first one kept is used
  std::vector<std::filesystem::path> logs;    ///< as typed: a scenario, what `ddlsim import` reads, records (.jsonl)
  int ranks = 0;                              ///< GPUs, for logs that do not state them; 0: not given
  int nodes = 0;                              ///< nodes, in the same way
  std::vector<std::string> map;               ///< as typed, OURS=THEIRS
  std::map<std::string, std::string> columns; ///< of tables of rates, as ImportContext has them
  std::vector<std::string> steps;             ///< GPUS=TIME
  double level = 0.05;                        ///< share of healthy clusters that may be called not normal
  bool details = false;
  bool follow = false;
  std::string follow_for; ///< a time as typed; "": until interrupted
  // These replace a scenario.
  std::string cluster;
  std::string gpu;
  std::vector<std::string> networks; ///< as ClusterRequest has them
  int gpus_per_node = 0;
  std::string model;
  double batch_per_gpu = 0;
  std::string precision;
  std::string preset;
  std::string transport;
};

struct PlanCommand {
  std::filesystem::path request;
  std::vector<JsonChange> changes; ///< to the request, before it is checked
  bool csv = false;
  bool markdown = false;
  std::filesystem::path html; ///< file for the page; empty: no page
};

/// Formats of other tools.
enum class ExportFormat { chakra, simgrid };

struct ExportCommand {
  ExportFormat format = ExportFormat::chakra;
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::vector<std::string> strategies; ///< as for predict; the first one kept is used
};

struct ValidateCommand {
  std::vector<std::filesystem::path> measurements; ///< of the user, added to the shipped ones; .csv: tables of rates
  ImportContext context;                           ///< of the tables; only its cluster is scored, "": all are
  bool collectives = false;                        ///< tables of all-reduces over sizes instead of steps
  bool ratios = false;                             ///< speed-ups and efficiencies of unknown base rate instead of steps
  bool own_only = false;                           ///< score the user's own series only
  std::vector<std::string> splits;                 ///< names; empty: all
  std::vector<std::string> sites;   ///< sites whose series are scored; empty: all, or those of the thresholds
  std::vector<std::string> without; ///< parameters and residual terms; each is left out alone
  bool blind = false;               ///< predict the files' records and log the errors
  std::vector<std::filesystem::path> blind_files; ///< records that no fit or prior has used; none: show the log
  bool nothing_known = false;                     ///< what the prediction may use; none of these: each in turn
  bool one_gpu_known = false;
  bool one_node_known = false;
  bool form_in_sight = false;              ///< the model's form was chosen by somebody who knew the results
  std::filesystem::path blind_log;         ///< empty: validate/blind.jsonl of the data folder
  int placebos = 0;                        ///< number of simulators whose priors are moved at random
  std::filesystem::path html;              ///< file for the page; empty: no page
  std::filesystem::path thresholds;        ///< file with the accuracy that must not be lost; empty: no comparison
  std::filesystem::path update_thresholds; ///< file that gets the figures reached; empty: none
};

/// Whether the file is a table of rates, by the end of its name.
bool is_csv(const std::filesystem::path& file);

struct CalibrateCommand {
  std::string cluster;        ///< "" with priors, kernels or all
  bool priors = false;        ///< fit priors.json to the records of all clusters
  bool kernels = false;       ///< fit kernel-rates.json to the tables of all GPUs
  bool all = false;           ///< keep a calibration for each cluster that has records
  bool details = false;       ///< print every parameter, series and table after the first screen
  std::filesystem::path html; ///< file for the page; empty: no page
};

struct ImportCommand {
  std::string kind; ///< of importers() or model_imports(); "": guessed from the file
  std::filesystem::path file;
  ImportContext context;
  std::vector<std::string> map;   ///< as typed, OURS=THEIRS
  long sequence = 0;              ///< of a model: tokens per sample; 0: not given
  std::string name;               ///< of a model; "": the name of the output file
  std::string attention = "sdpa"; ///< of a model: sdpa or eager
  std::filesystem::path layers;   ///< of a trace: file for its layer table; empty: none
};

/// The `new` command: writes a cluster, scenario or GPU file from a few words.
struct NewCommand {
  std::string what;           ///< cluster, scenario, gpu
  std::filesystem::path name; ///< of the folder, or of the file without .json
  std::string gpu;
  int gpus_per_node = 0;
  int nodes = 0;
  std::vector<std::string> networks;
  std::string links;
  int most_nodes = 0;
  bool from_machine = false;
  std::filesystem::path sysfs = "/sys"; ///< or a copy of it from another machine
  std::filesystem::path slurm;          ///< output of `scontrol show node`, or slurm.conf; empty: none
  std::string slurm_gpu;                ///< selects one of several kinds of nodes, by Slurm's name of the GPU
  std::string partition;                ///< selects one by the nodes' partition
  std::filesystem::path topology;       ///< from nvidia-smi, NCCL or lstopo; empty: none
  std::string model;
  std::string cluster;
  double batch_per_gpu = 0;
  std::string precision;
  std::string preset;
  std::vector<int> gpus;
  std::vector<std::string> strategies;
  std::string like;                         ///< of a GPU: the similar one in the catalogue
  std::map<std::string, std::string> peaks; ///< of a GPU, by precision
  std::string memory;
  std::string bandwidth;
  std::string power;
  std::string price;
  int year = 0;
};

/// The kinds of files from which `ddlsim import` makes models: the word on the command line, and a description.
const std::vector<std::pair<std::string, std::string>>& model_imports();

struct CommandLine {
  std::variant<CheckCommand, ListCommand, PredictCommand, PlanCommand, CalibrateCommand, ValidateCommand, ImportCommand,
               ExportCommand, DiagnoseCommand, NewCommand, ExplainCommand, SchemaCommand>
      command;
  std::filesystem::path data_folder; ///< holds platforms/ and scenarios/
  CalibrationSource calibrations{};  ///< of clusters: cached, or fitted when needed
  std::filesystem::path output;      ///< empty: standard output
  bool json = false;
  bool quiet = false;
  bool resume = false;  ///< continue from the results kept beside the output
  std::string question; ///< the typed options without output and run options; identifies kept results
  int threads = 0;      ///< at a time; always one or more after parsing
  RunTasks run_tasks{}; ///< for sweeps, plans and validations; empty: on this machine, `threads` at a time
};

/// The text and exit code to stop with after help, version or wrong use.
struct EarlyExit {
  int code = 0;
  std::string out; ///< to standard output
  std::string err; ///< to standard error
};
/// The parsed command line, or the reason to stop. `data_folder` is the folder of the shipped files unless --data names
/// another.
std::variant<CommandLine, EarlyExit> parse_command_line(int argc, const char* const* argv,
                                                        const std::filesystem::path& data_folder);

/// The end of the --help text of a command, or of the program for "": example commands that work in the folder of
/// ddlsim. Has no final line end.
std::string examples_of(const std::string& command);

// The changes of a scenario that the command line asks for, as typed and as changes of the document.

/// Changes of a scenario from the command line, as typed.
struct Variation {
  std::vector<int> gpus{};
  std::string cluster{};
  std::vector<std::string> set{};   ///< /json/path=VALUE
  std::vector<std::string> sweep{}; ///< /json/path=A,B,C
};

/// Splits "NAME=VALUE" words into pairs; `wrong` gets the first word that is not one.
std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words, std::string& wrong);

/// The changes in the order of application: --set first, then --gpus and --cluster, which may set the same fields.
std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong);

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong);

} // namespace ddlsim
