#include "cli/options.hpp"

#include "calibrate/import/importers.hpp"
#include "calibrate/import/plain_text.hpp"
#include "cli/variation.hpp"
#include "sim/base/names.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/prediction.hpp"
#include "validate/split.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <memory>
#include <sstream>
#include <utility>

namespace ddlsim {
namespace {

constexpr int wrong_use = 2;

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names{"check", "list",     "calibrate", "predict",
                                              "plan",  "validate", "import",    "export"};
  return names;
}

/// Descriptions in lines that a terminal does not break.
class HelpInColumns : public CLI::Formatter {
public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = to_lines(option->get_description(), report_columns - get_column_width() - 3);
    text.pop_back();
    return text;
  }
};

/// Options of every command, before its name or after it.
void add_common_options(CLI::App& app, CommandLine& line) {
  app.add_option("--data", line.data_folder,
                 fmt::format("Holds platforms/ and scenarios/; {}", line.data_folder.string()))
      ->type_name("FOLDER")
      ->group("Of every command");
  app.add_flag("--quiet,-q", line.quiet, "Only results and errors: no progress, no remarks")->group("Of every command");
}

/// A command with its examples and the options that every command has.
CLI::App& add_command(CLI::App& app, CommandLine& line, const std::string& name, const std::string& description) {
  auto& command = *app.add_subcommand(name, description);
  command.footer(examples_of(name));
  add_common_options(command, line);
  return command;
}

void add_output(CLI::App& app, CommandLine& line, const std::string& what = "the result") {
  app.add_option("--output,-o", line.output,
                 fmt::format("Write {} to this file, whole or not at all, instead of to standard output", what))
      ->type_name("FILE");
}

void add_json(CLI::App& app, CommandLine& line) {
  app.add_flag("--json", line.json, "The result as JSON, every figure in SI units");
}

CLI::Option* add_html(CLI::App& app, std::filesystem::path& file, const std::string& what) {
  return app.add_option("--html", file, "Write a page with " + what + ", which needs no network")->type_name("FILE");
}

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command) {
  auto& check = add_command(app, line, "check",
                            "Check files of any kind: scenarios, models, clusters, records, catalogues, calibrations");
  check.add_option("FILE", command.files, "Files to check; all mistakes of all files are reported")
      ->required()
      ->type_name("");
}

void add_list(CLI::App& app, CommandLine& line, ListCommand& command) {
  auto& list = add_command(app, line, "list", "List what is shipped: models, gpus, clusters or presets");
  list.add_option("WHAT", command.what, "models, gpus, clusters or presets")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"models", "gpus", "clusters", "presets"}).description(""));
}

const std::map<std::string, Fidelity>& fidelity_names() {
  static const std::map<std::string, Fidelity> names{{"auto", Fidelity::automatic},
                                                     {"by-symmetry", Fidelity::by_symmetry},
                                                     {"full", Fidelity::full},
                                                     {"screening", Fidelity::screening}};
  return names;
}

/// The name of a value becomes its number, which is what CLI11 reads an enum from.
template <class Value> CLI::Validator by_name(const std::map<std::string, Value>& values) {
  const auto replace = [values](std::string& text) {
    const auto found = values.find(text);
    if (found == values.end()) {
      std::vector<std::string> names;
      for (const auto& row : values) names.push_back(row.first);
      const std::string nearest = nearest_name(text, names);
      return fmt::format("{} found, one of {} expected{}", in_quotes(text), join_names(names),
                         nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
    }
    text = std::to_string(static_cast<int>(found->second));
    return std::string();
  };
  return CLI::Validator(replace, "");
}

/// Options that change the scenario of a command which asks one.
void add_changes(CLI::App& app, Variation& variation) {
  app.add_option("--cluster", variation.cluster, "Cluster instead of the scenario's (`ddlsim list clusters`)")
      ->type_name("NAME");
  app.add_option("--set", variation.set,
                 "Another value of a field of the scenario, e.g. /batch_per_gpu=64; may be given several times")
      ->type_name("/PATH=VALUE");
}

void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation) {
  auto& predict = add_command(app, line, "predict",
                              "Predict a scenario: throughput, iteration time and efficiency with 90 % intervals");
  predict.add_option("SCENARIO", command.scenarios, "Scenario files; several make a sweep")->required()->type_name("");
  predict.add_option("--gpus", variation.gpus, "Numbers of GPUs instead of the scenario's, e.g. 1,8,64")
      ->delimiter(',')
      ->type_name("N,N")
      ->check(CLI::PositiveNumber.description(""));
  predict.add_option("--strategy", command.strategies, "Only these of the scenario's strategies, e.g. ring,ps")
      ->delimiter(',')
      ->type_name("NAME,NAME");
  add_changes(predict, variation);
  predict
      .add_option("--sweep", variation.sweep,
                  "The scenario once for each value, e.g. /cluster=iris,dgx1-v100; of several every combination")
      ->type_name("/PATH=A,B");
  predict
      .add_option("--jobs,-j", command.jobs,
                  "So many scenarios of a sweep beside each other; as many as cores if not given")
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  predict
      .add_option(
          "--fidelity", command.fidelity,
          "How communication is run: auto (by symmetry where ranks or connections are alike, else full, else "
          "screening; if not given), by-symmetry (on SimGrid, what plays the same role once), full (every message on "
          "SimGrid), screening (formulas, without SimGrid)")
      ->type_name("HOW")
      ->transform(by_name(fidelity_names()));
  predict
      .add_option("--trace", command.trace,
                  "Write the simulated iteration of the first strategy at the largest scale to this file, as Chrome "
                  "trace JSON for Perfetto; --strategy and --gpus choose another")
      ->type_name("FILE");
  add_html(predict, command.html, "charts, every point and where the time goes; a sweep's has controls");
  predict.add_flag("--csv", command.csv, "A row for each point as CSV, every figure in SI units");
  add_json(predict, line);
  add_output(predict, line);
}

void add_plan(CLI::App& app, CommandLine& line, PlanCommand& command, std::vector<std::string>& set) {
  auto& plan = add_command(app, line, "plan",
                           "What to buy or rent for a training: time, cost and energy of each way, with intervals");
  plan.add_option("REQUEST", command.request, "Request file: the training, its limits, what could be had")
      ->required()
      ->type_name("");
  plan.add_option("--set", set,
                  "Another value of a field of the request, e.g. /limits/deadline=\"12 h\"; may be given several times")
      ->type_name("/PATH=VALUE");
  auto* csv = plan.add_flag("--csv", command.csv, "A row for each option as CSV, every figure in SI units");
  plan.add_flag("--markdown", command.markdown, "The sentences and a table of all options, for a proposal")
      ->excludes(csv);
  add_html(plan, command.html, "the sentences, charts and all options");
  add_json(plan, line);
  add_output(plan, line);
}

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command) {
  auto& calibrate = add_command(app, line, "calibrate",
                                "Learn a cluster's parameters from its measurements: platforms/NAME/calibration.json");
  auto* cluster =
      calibrate.add_option("--cluster", command.cluster, "Folder name under platforms/ (`ddlsim list clusters`)")
          ->type_name("NAME");
  calibrate
      .add_flag("--priors", command.priors,
                "In place of --cluster: what to expect of a cluster that nobody measured, from the records of all "
                "sites: platforms/priors.json")
      ->excludes(cluster);
  add_html(calibrate, command.html, "each parameter before and after")->excludes("--priors");
  calibrate.final_callback([&command] {
    if (command.cluster.empty() && !command.priors) throw CLI::RequiredError("--cluster or --priors");
  });
  calibrate.add_flag("--json", line.json, "Print the file's content instead of a summary");
  calibrate.add_option("--output,-o", line.output, "Write to this file instead of below platforms/")->type_name("FILE");
}

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

void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given) {
  auto& validate =
      add_command(app, line, "validate", "Score the simulator and its rivals on measured series they did not see");
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
  add_html(validate, command.html, "charts and every point");
  validate
      .add_option("--bar", command.bar, "Exit with 1 when a figure is worse than in this file (validate/accuracy.json)")
      ->type_name("FILE");
  validate
      .add_option("--update-bar", command.update_bar,
                  "Lower the figures of this file to those reached; exit with 1 when one rose")
      ->type_name("FILE");
  auto& collectives =
      *validate.add_flag("--collectives", command.collectives,
                         "Score tables of all-reduces over sizes, by class of size, instead of training steps");
  for (const char* of_steps : {"--own-only", "--split", "--html", "--bar", "--update-bar"})
    collectives.excludes(validate.get_option(of_steps));
  add_context(validate, command.context, given);
  add_json(validate, line);
  add_output(validate, line);
}

void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given) {
  auto& import = add_command(app, line, "import",
                             "Turn a table of rates or an nccl-tests log into measurement records (JSON Lines)");
  std::vector<std::string> kinds;
  std::vector<std::string> explained;
  for (const auto& importer : importers()) {
    kinds.push_back(importer.kind);
    explained.push_back(fmt::format("{} ({})", importer.kind, importer.reads));
  }
  import.add_option("KIND", command.kind, fmt::format("{}", fmt::join(explained, " or ")))
      ->required()
      ->type_name("")
      ->check(CLI::IsMember(kinds).description(""));
  import.add_option("FILE", command.file, "Table or log")->required()->type_name("");
  import.add_option("--cluster", command.context.cluster, "Cluster the figures were measured on")->type_name("NAME");
  add_context(import, command.context, given);
  add_output(import, line, "the records");
}

void add_export(CLI::App& app, CommandLine& line, ExportCommand& command, Variation& variation) {
  auto& exporting =
      add_command(app, line, "export",
                  "Write for other tools what is simulated: the iteration for Chakra, the cluster for SimGrid");
  const std::map<std::string, ExportFormat> formats{{"chakra", ExportFormat::chakra},
                                                    {"simgrid", ExportFormat::simgrid}};
  exporting
      .add_option("FORMAT", command.format, "chakra (files FILE.ROLE.et, one a role) or simgrid (platform XML 4.1)")
      ->required()
      ->type_name("")
      ->transform(by_name(formats));
  exporting.add_option("SCENARIO", command.scenario, "Scenario file")->required()->type_name("");
  exporting.add_option("--gpus", variation.gpus, "Number of GPUs; the scenario's largest if not given")
      ->expected(1)
      ->type_name("N")
      ->check(CLI::PositiveNumber.description(""));
  exporting.add_option("--strategy", command.strategies, "One of the scenario's strategies; its first if not given")
      ->expected(1)
      ->type_name("NAME");
  add_changes(exporting, variation);
  exporting.add_option("--output,-o", line.output, "The file to write, or what the names of the files begin with")
      ->required()
      ->type_name("FILE");
}

/// Options that exclude each other, in a sentence; "" where there are none.
std::string conflict_in(const PredictCommand& command) {
  const bool sweep = command.scenarios.size() > 1 || !command.axes.empty();
  return sweep && !command.trace.empty() ? "--trace writes one iteration; give one scenario without --sweep" : "";
}

std::string conflict_in(const ValidateCommand& command) {
  const auto& stated = command.context;
  const bool table = std::any_of(command.measurements.begin(), command.measurements.end(), is_csv);
  const bool described = !stated.given.empty() || !stated.gpu.empty() || !stated.machine.empty() ||
                         !stated.software.empty() || !stated.date.empty() || !stated.who.empty() ||
                         !stated.title.empty();
  if (described && !table)
    return "--gpu, --machine, --software, --date, --who, --title and --set describe a table of rates; give one with "
           "--measurements FILE.csv";
  if (command.own_only && command.measurements.empty()) return "--own-only needs --measurements FILE";
  const bool some_only = !command.measurements.empty() || !stated.cluster.empty();
  if (some_only && (!command.bar.empty() || !command.update_bar.empty()))
    return "a bar is of all shipped series; give --bar and --update-bar without --measurements and --cluster";
  return "";
}

EarlyExit explain(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(error, out, err);
  if (code == 0) return {0, out.str(), ""};
  std::string text = err.str();
  const std::string first = argc > 1 ? argv[1] : "";
  const bool unknown = !first.empty() && first[0] != '-' &&
                       std::find(command_names().begin(), command_names().end(), first) == command_names().end();
  if (unknown) {
    const auto near = nearest_name(first, command_names());
    text = fmt::format("\"{}\" is not a command; {}\n", first,
                       near.empty() ? "give one of " + join_names(command_names()) : "did you mean \"" + near + "\"?");
  }
  return {wrong_use, "", "ddlsim: " + text};
}

} // namespace

bool is_csv(const std::filesystem::path& file) {
  return lower_case(file.extension().string()) == ".csv";
}

std::variant<CommandLine, EarlyExit> parse_command_line(int argc, const char* const* argv) {
  CommandLine line;
  line.data_folder = DDLSIM_DATA_FOLDER;
  CheckCommand check;
  ListCommand list;
  PredictCommand predict;
  PlanCommand plan;
  CalibrateCommand calibrate;
  ValidateCommand validate;
  ImportCommand import;
  ExportCommand exporting;
  std::vector<std::string> given;
  Variation variation;
  Variation of_request;

  CLI::App app{"ddlsim: how fast distributed training will run on a cluster you do not have yet, and how sure that is",
               "ddlsim"};
  app.set_version_flag("--version", version(), "Print the version");
  app.set_help_flag("--help,-h", "Print this");
  const auto help = std::make_shared<HelpInColumns>();
  help->label("SUBCOMMAND", "COMMAND");
  app.formatter(help);
  app.footer(examples_of(""));
  app.require_subcommand(1);
  add_common_options(app, line);
  add_check(app, line, check);
  add_list(app, line, list);
  add_predict(app, line, predict, variation);
  add_plan(app, line, plan, of_request.set);
  add_calibrate(app, line, calibrate);
  add_validate(app, line, validate, given);
  add_import(app, line, import, given);
  add_export(app, line, exporting, variation);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, argc, argv);
  }
  std::string wrong;
  for (const auto& [name, value] : split_words(given, wrong)) import.context.given[name] = value;
  validate.context.given = import.context.given;
  predict.changes = exporting.changes = changes_of(variation, wrong);
  plan.changes = changes_of(of_request, wrong);
  if (!wrong.empty()) return EarlyExit{wrong_use, "", fmt::format("ddlsim: --set {}: expected NAME=VALUE\n", wrong)};
  predict.axes = axes_of(variation, wrong);
  if (!wrong.empty())
    return EarlyExit{wrong_use, "", fmt::format("ddlsim: --sweep {}: expected /json/path=A,B,C\n", wrong)};

  const auto& chosen = app.get_subcommands().front()->get_name();
  std::string reported;
  if (chosen == "predict") reported = conflict_in(predict);
  if (chosen == "validate") reported = conflict_in(validate);
  if (!reported.empty()) return EarlyExit{wrong_use, "", "ddlsim: " + reported + "\n"};

  if (chosen == "check") line.command = check;
  if (chosen == "list") line.command = list;
  if (chosen == "predict") line.command = predict;
  if (chosen == "plan") line.command = plan;
  if (chosen == "calibrate") line.command = calibrate;
  if (chosen == "validate") line.command = validate;
  if (chosen == "import") line.command = import;
  if (chosen == "export") line.command = exporting;
  return line;
}

} // namespace ddlsim
