#pragma once
// Arguments -> one checked struct; no later code reads arguments.

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

/// What a word means that a command prints.
struct ExplainCommand {
  std::vector<std::string> words; ///< of one term; none: all terms are listed
};

/// The keys of a kind of file.
struct SchemaCommand {
  std::string format;    ///< of file_formats.hpp
  bool markdown = false; ///< a table in place of a JSON schema
};

/// One field of a scenario and the values it takes in turn.
struct SweepAxis {
  std::string path; ///< JSON pointer
  std::vector<std::string> values;
};

struct PredictCommand {
  std::vector<std::filesystem::path> scenarios;
  std::vector<SweepAxis> axes;         ///< every combination is a scenario of its own
  std::vector<JsonChange> changes;     ///< to the scenario, before it is checked
  std::vector<std::string> strategies; ///< only those of the scenario's with such a name; empty: all
  bool csv = false;
  bool markdown = false;
  bool why = false; ///< say of each strategy what its answer rests on
  Fidelity fidelity = Fidelity::by_default;
  std::filesystem::path trace;    ///< write one simulated iteration here; empty: none
  std::filesystem::path html;     ///< write the page here; empty: no page
  std::string collective;         ///< all-reduce: tables of it over sizes in place of iterations; "": iterations
  std::vector<std::string> sizes; ///< of the collective, like 4MiB; empty: the usual ones
};

struct DiagnoseCommand {
  std::filesystem::path scenario;             ///< set by run_diagnose(): the one of `logs` that is a scenario
  std::vector<JsonChange> changes;            ///< to the scenario, before it is checked
  std::vector<std::string> strategies;        ///< as for predict; the first one left is meant
  std::vector<std::filesystem::path> logs;    ///< as typed: a scenario, what `ddlsim import` reads, records (.jsonl)
  int ranks = 0;                              ///< GPUs of logs that do not say it; 0: not given
  int nodes = 0;                              ///< the same
  std::vector<std::string> map;               ///< as typed, OURS=THEIRS
  std::map<std::string, std::string> columns; ///< of tables of rates, as ImportContext has them
  std::vector<std::string> steps;             ///< GPUS=TIME
  double level = 0.05;                        ///< the share of healthy clusters that may be called ill
  bool details = false;
  bool follow = false;
  std::string follow_for; ///< a time, as typed; "": until interrupted
  // In place of a scenario.
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
  std::filesystem::path html; ///< write the page here; empty: no page
};

/// What others' tools read.
enum class ExportFormat { chakra, simgrid };

struct ExportCommand {
  ExportFormat format = ExportFormat::chakra;
  std::filesystem::path scenario;
  std::vector<JsonChange> changes;
  std::vector<std::string> strategies; ///< as for predict; the first one left is meant
};

struct ValidateCommand {
  std::vector<std::filesystem::path> measurements; ///< of a user's own, besides the shipped ones; .csv: tables of rates
  ImportContext context;            ///< of the tables; its cluster is also the only one that is scored, "" for all
  bool collectives = false;         ///< tables of all-reduces over sizes instead of steps
  bool ratios = false;              ///< speed-ups and efficiencies of unknown base instead of steps
  bool own_only = false;            ///< score the user's own series only
  std::vector<std::string> splits;  ///< names; empty: all
  std::vector<std::string> sites;   ///< whose series are scored; empty: all, or those of the thresholds
  std::vector<std::string> without; ///< parameters and terms of the residual, each left out alone
  bool blind = false;               ///< predict the files' records and log how far off that was
  std::vector<std::filesystem::path> blind_files; ///< records that no fit or prior has used; none: show the log
  bool nothing_known = false;                     ///< what a newcomer has of a blind file; none of these: each in turn
  bool one_gpu_known = false;
  bool one_node_known = false;
  bool form_in_sight = false;              ///< the model's form was chosen by somebody who knew the figures
  std::filesystem::path blind_log;         ///< empty: validate/blind.jsonl of the data folder
  int placebos = 0;                        ///< simulators whose priors are moved without meaning
  std::filesystem::path html;              ///< write the page here; empty: no page
  std::filesystem::path thresholds;        ///< accuracy that must not be lost; empty: not compared
  std::filesystem::path update_thresholds; ///< gets the figures that are reached; empty: none
};

/// A table of rates, by its name.
bool is_csv(const std::filesystem::path& file);

struct CalibrateCommand {
  std::string cluster;        ///< "" with priors or all
  bool priors = false;        ///< learn priors.json from all clusters
  bool all = false;           ///< keep a calibration of each cluster that has records
  bool details = false;       ///< print every parameter, series and table behind the first screen
  std::filesystem::path html; ///< write the page here; empty: no page
};

struct ImportCommand {
  std::string kind; ///< of importers() or model_imports(); "": guessed from the file
  std::filesystem::path file;
  ImportContext context;
  std::vector<std::string> map;   ///< as typed, OURS=THEIRS
  long sequence = 0;              ///< of a model: tokens a sample; 0: not given
  std::string name;               ///< of a model; "": as the output's file
  std::string attention = "sdpa"; ///< of a model: sdpa or eager
  std::filesystem::path layers;   ///< of a trace: write its layer table here, too; empty: none
};

/// A file of one's own from a few words.
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
  std::filesystem::path sysfs = "/sys"; ///< or a copy of another machine's
  std::filesystem::path slurm;          ///< what `scontrol show node` printed, or slurm.conf; empty: none
  std::string slurm_gpu;                ///< which of several kinds of nodes: as Slurm calls its GPUs
  std::string partition;                ///< the same: a partition that they are in
  std::filesystem::path topology;       ///< of nvidia-smi, NCCL or lstopo; empty: none
  std::string model;
  std::string cluster;
  double batch_per_gpu = 0;
  std::string precision;
  std::string preset;
  std::vector<int> gpus;
  std::vector<std::string> strategies;
  std::string like;                         ///< of a GPU: the one of the catalogue that it is like
  std::map<std::string, std::string> peaks; ///< of a GPU, by precision
  std::string memory;
  std::string bandwidth;
  std::string power;
  std::string price;
  int year = 0;
};

/// What `ddlsim import` makes models of: the word on the command line, and what is read.
const std::vector<std::pair<std::string, std::string>>& model_imports();

struct CommandLine {
  std::variant<CheckCommand, ListCommand, PredictCommand, PlanCommand, CalibrateCommand, ValidateCommand, ImportCommand,
               ExportCommand, DiagnoseCommand, NewCommand, ExplainCommand, SchemaCommand>
      command;
  std::filesystem::path data_folder; ///< holds platforms/ and scenarios/
  CalibrationSource calibrations{};  ///< of clusters: cached, or fitted when they are needed
  std::filesystem::path output;      ///< empty: standard output
  bool json = false;
  bool quiet = false;
  bool resume = false;  ///< goes on from what is kept beside the output
  std::string question; ///< the options as typed, but those that say how and where to: what an answer kept there is of
  int threads = 0;      ///< at a time; as parsed always one or more
  RunTasks run_tasks{}; ///< of sweeps, plans and validations; empty: on this machine, `threads` at a time
};

/// What the arguments ask for, or the text and exit code to stop with (help, version, wrong use).
struct EarlyExit {
  int code = 0;
  std::string out; ///< to standard output
  std::string err; ///< to standard error
};
/// `data_folder`: where the shipped files are, unless --data says otherwise.
std::variant<CommandLine, EarlyExit> parse_command_line(int argc, const char* const* argv,
                                                        const std::filesystem::path& data_folder);

/// What --help of a command, or of the program for "", shows at its end: commands that work as they stand in the folder
/// of ddlsim. Ends without a line end.
std::string examples_of(const std::string& command);

// What the command line varies of a scenario, as typed and as changes of the document.

/// Changes of a scenario from the command line, as typed.
struct Variation {
  std::vector<int> gpus{};
  std::string cluster{};
  std::vector<std::string> set{};   ///< /json/path=VALUE
  std::vector<std::string> sweep{}; ///< /json/path=A,B,C
};

/// "NAME=VALUE" words as pairs; `wrong` becomes the first word that is not one.
std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words, std::string& wrong);

/// --set first, so that --gpus and --cluster, which set the same fields, come last.
std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong);

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong);

} // namespace ddlsim
