#include "cli/command_options.hpp"
#include "import/importers.hpp"
#include "sim/base/error.hpp"
#include "validate/ablation/ablation.hpp"
#include "validate/split.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

void add_context(CLI::App& app, ImportContext& context, std::vector<std::string>& given) {
  app.add_option("--gpu", context.gpu, "GPU, as `ddlsim list gpus` names it")->type_name("NAME");
  app.add_option("--machine", context.machine, "The machine in words")->type_name("TEXT");
  app.add_option("--software", context.software, "Names and versions of what was measured")->type_name("TEXT");
  app.add_option("--date", context.date, "When it was measured: 2018, 2018-05 or 2018-05-07")->type_name("DATE");
  app.add_option("--who", context.who, "Who measured")->type_name("TEXT");
  app.add_option("--title", context.title, "Title of the source")->type_name("TEXT");
  app.add_option("--set", given, "Holds for every row that has no such column, e.g. transport=nccl-ib")
      ->type_name("NAME=VALUE");
}

/// Decides whether a word is the file or the kind. A single word is a file; of two words the first is the kind.
void settle_kind(ImportCommand& command) {
  std::vector<std::string> kinds;
  for (const auto& importer : importers()) kinds.push_back(importer.kind);
  for (const auto& model : model_imports()) kinds.push_back(model.first);
  const bool is_kind = is_in(kinds, command.kind);
  if (command.file.empty() && is_kind) throw CLI::RequiredError("FILE");
  if (command.file.empty()) {
    command.file = command.kind;
    command.kind.clear();
  } else if (!is_kind) {
    throw CLI::ValidationError("KIND", unknown_name_text("kind of file", command.kind, kinds, kinds));
  }
}

void add_model_options(CLI::App& app, ImportCommand& command) {
  app.add_option("--sequence", command.sequence, "Of a model: tokens a sample")
      ->type_name("TOKENS")
      ->check(a_number({.least = 1, .most = 100'000'000, .whole = true}));
  app.add_option("--name", command.name, "Of a model: its name; that of the output's file if not given")
      ->type_name("NAME");
  app.add_option("--attention", command.attention,
                 "Of a model: sdpa (one kernel, as Transformers has it by default) or eager (scores in "
                 "memory)")
      ->type_name("HOW")
      ->check(CLI::IsMember({"sdpa", "eager"}).description(""));
  app.add_option("--layers", command.layers,
                 "Of a trace of the PyTorch profiler with shapes: write its layer table to this file, too, which is "
                 "called like the model, and a record of its layers' times")
      ->type_name("FILE");
}

} // namespace

/// Reads texts like "batch_per_gpu=bs" into the context: our name, and the name of the file's column.
void settle_columns(const std::vector<std::string>& typed, ImportContext& context) {
  for (const auto& pair : typed) {
    const auto equals = pair.find('=');
    if (equals == std::string::npos || equals == 0 || equals + 1 == pair.size())
      throw CLI::ValidationError("--map", in_quotes(pair) + " found, OURS=THEIRS expected, like batch_per_gpu=bs");
    context.columns[pair.substr(0, equals)] = pair.substr(equals + 1);
  }
}

void add_map(CLI::App& app, std::vector<std::string>& typed) {
  app.add_option("--map", typed,
                 "Of a table of rates: what its columns are called, our name first, e.g. "
                 "batch_per_gpu=bs,iteration_s=step_time; other columns are then left out")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("OURS=THEIRS,...");
}

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command) {
  auto& calibrate = add_command(app, line, "calibrate",
                                "Learn a cluster's parameters from its measurements: platforms/NAME/calibration.json");
  auto* cluster =
      calibrate
          .add_option("--cluster", command.cluster,
                      "Folder name under platforms/ (`ddlsim list clusters`), or the path of a folder of your own")
          ->type_name("NAME");
  calibrate
      .add_flag("--priors", command.priors,
                "In place of --cluster: what to expect of a cluster that nobody measured, from the records of all "
                "sites: platforms/priors.json")
      ->excludes(cluster);
  calibrate
      .add_flag("--kernels", command.kernels,
                "In place of --cluster: how fast the kernels of each GPU run, from the tables of platforms/kernels/: "
                "platforms/kernel-rates.json")
      ->excludes(cluster)
      ->excludes("--priors");
  calibrate
      .add_flag("--all", command.all,
                "In place of --cluster: keep a calibration of every cluster that has records, as the first question to "
                "each would; with --output in that folder, as packages have them")
      ->excludes(cluster)
      ->excludes("--priors")
      ->excludes("--kernels");
  add_threads(calibrate, line);
  for (auto* option : add_picture(calibrate, command.picture, "each parameter before and after"))
    option->excludes("--priors")->excludes("--kernels")->excludes("--all");
  calibrate.final_callback([&command] {
    if (command.cluster.empty() && !command.priors && !command.kernels && !command.all)
      throw CLI::RequiredError("--cluster, --priors, --kernels or --all");
  });
  auto* json = calibrate.add_flag("--json", line.json, "Print the file's content instead of a summary");
  calibrate.add_flag("--details", command.details, "Print behind the summary every parameter, series, note and table")
      ->excludes(json)
      ->excludes("--priors")
      ->excludes("--kernels");
  calibrate.add_option("--output,-o", line.output, "Write to this file instead of below platforms/")->type_name("FILE");
}

namespace {

void add_ablation(CLI::App& validate, ValidateCommand& command) {
  const auto names = names_to_leave_out();
  auto* without =
      validate
          .add_option("--without", command.without,
                      fmt::format("Ask the new-site splits with and without each of these, and compare site by site: a "
                                  "parameter then stands at its prior's median, a term of the residual is left out. {}",
                                  join_names(names)))
          ->delimiter(',')
          ->type_name("NAME,NAME");
  auto* placebo = validate
                      .add_option("--placebo", command.placebos,
                                  "Ask the new-site splits with every prior's median moved by 2 % without meaning, as "
                                  "often as this: how much figures move by nothing")
                      ->type_name("N")
                      ->check(a_number({.least = 1, .most = 100, .whole = true}));
  without->excludes(placebo);
  for (const char* other : {"--html", "--svg", "--thresholds", "--update-thresholds"}) {
    without->excludes(validate.get_option(other));
    placebo->excludes(validate.get_option(other));
  }
}

void add_blind(CLI::App& validate, ValidateCommand& command) {
  auto* blind =
      validate
          .add_option("--blind", command.blind_files,
                      "Predict these records, which no fit or prior has used, with what a new user would have, "
                      "and append how far off that was to the log; without files show the log. Records stand "
                      "in CLUSTER/measurements/FILE; CLUSTER/cluster.json and CLUSTER/models/*.json beside "
                      "them are read, too")
          ->expected(0, -1)
          ->type_name("FILE");
  const auto add = [&](const char* name, bool& flag, const char* what) {
    validate.add_flag(name, flag, what)->needs(blind);
  };
  add("--nothing-known", command.nothing_known, "Of --blind: nothing but the cluster file is known");
  add("--one-gpu-known", command.one_gpu_known, "Of --blind: the cluster file, and what one GPU took");
  add("--one-node-known", command.one_node_known, "Of --blind: the cluster file, and what one node took");
  add("--form-in-sight", command.form_in_sight,
      "Of --blind: who chose the form of the model knew these figures; the log says so");
  validate.add_option("--blind-log", command.blind_log, "Of --blind: this log instead of validate/blind.jsonl")
      ->needs(blind)
      ->type_name("FILE");
  validate.final_callback([&command, blind] {
    command.blind = blind->count() > 0;
    std::erase(command.blind_files, std::filesystem::path{}); // without a file CLI11 adds an empty one
  });
}

} // namespace

void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given) {
  auto& validate =
      add_command(app, line, "validate", "Score the simulator and its baselines on measured series they did not see");
  validate
      .add_option("--measurements", command.measurements,
                  "Measurement files of your own, besides the shipped ones. A .csv is a table of rates as `ddlsim "
                  "import csv` takes it; the options from --gpu to --set are about it")
      ->type_name("FILE");
  validate
      .add_option("--cluster", command.context.cluster,
                  "Score this cluster's series only; a table of rates was measured on it")
      ->type_name("NAME");
  validate.add_flag("--own-only", command.own_only, "Score the series of --measurements only");
  validate
      .add_option("--split", command.splits,
                  fmt::format("Only these of {}; all, which takes minutes, if not given", join_names(split_names())))
      ->delimiter(',')
      ->type_name("SPLIT,SPLIT")
      ->check(CLI::IsMember(split_names()).description(""));
  validate
      .add_option("--sites", command.sites,
                  "Score the series of these sites only (\"site\" of cluster.json, else its name)")
      ->delimiter(',')
      ->type_name("SITE,SITE");
  add_threads(validate, line);
  validate.add_flag("--details", command.details, "Every score of every cluster; otherwise one screen");
  add_picture(validate, command.picture, "charts and every score");
  validate
      .add_option("--thresholds", command.thresholds,
                  "Exit with 1 when a figure is worse than in this file, by more than the noise floor that it states "
                  "(validate/accuracy.json)")
      ->type_name("FILE");
  validate
      .add_option("--update-thresholds", command.update_thresholds,
                  "Put the figures that were reached into this file, better or worse")
      ->type_name("FILE");
  add_ablation(validate, command);
  add_blind(validate, command);
  auto& collectives =
      *validate.add_flag("--collectives", command.collectives,
                         "Score tables of all-reduces over sizes, by class of size, instead of training steps");
  for (const char* of_steps :
       {"--own-only", "--split", "--threads", "--html", "--svg", "--thresholds", "--update-thresholds"})
    collectives.excludes(validate.get_option(of_steps));
  auto& ratios =
      *validate.add_flag("--ratios", command.ratios,
                         "Score speed-ups and efficiencies that state no base rate, instead of training steps");
  ratios.excludes(&collectives);
  for (const char* of_steps :
       {"--own-only", "--split", "--threads", "--html", "--svg", "--thresholds", "--update-thresholds"})
    ratios.excludes(validate.get_option(of_steps));
  add_context(validate, command.context, given);
  add_json(validate, line);
  add_output(validate, line);
}

void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given) {
  auto& importing = add_command(app, line, "import",
                                "Turn logs and tables into measurement records, a model's config into a layer table");
  std::vector<std::string> explained;
  for (const auto& importer : importers()) explained.push_back(fmt::format("{} ({})", importer.kind, importer.reads));
  for (const auto& [kind, reads] : model_imports()) explained.push_back(fmt::format("{} ({})", kind, reads));
  const auto kinds = fmt::format("{}; guessed from the file if not given", join_names(explained));
  importing.add_option("KIND", command.kind, kinds)->required()->type_name("");
  importing.add_option("FILE", command.file, "Table, log or config")->type_name("");
  add_map(importing, command.map);
  importing.final_callback([&command] {
    settle_kind(command);
    settle_columns(command.map, command.context);
  });
  importing
      .add_option("--cluster", command.context.cluster, "Cluster the figures were measured on: a name or a folder")
      ->type_name("NAME");
  add_context(importing, command.context, given);
  add_model_options(importing, command);
  add_output(importing, line, "the records, or the model");
}

} // namespace ddlsim
