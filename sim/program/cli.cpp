#include "sim/program/cli.hpp"

#include "calibrate/plain_text.hpp"
#include "sim/answer/version.hpp"
#include "sim/files/names.hpp"
#include "validate/split.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <sstream>
#include <utility>

namespace ddlsim {
namespace {

constexpr int wrong_use = 2;

const std::vector<std::string>& command_names() {
  static const std::vector<std::string> names{"check", "list", "calibrate", "predict", "validate", "import"};
  return names;
}

/// Options every command has.
void add_common(CLI::App& app, CommandLine& line) {
  app.add_option("--data", line.data_folder, "Folder that holds platforms/ and scenarios/")->capture_default_str();
  app.add_flag("--quiet,-q", line.quiet, "No narration on standard error");
}

void add_output(CLI::App& app, CommandLine& line) {
  app.add_option("--output,-o", line.output, "Write the result to this file instead of standard output");
  app.add_flag("--json", line.json, "The result as JSON");
}

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command) {
  auto* check =
      app.add_subcommand("check", "Check files: models, gpus, clusters, measurements, scenarios, presets, priors");
  check->add_option("FILE", command.files, "Files to check")->required();
  add_common(*check, line);
}

void add_list(CLI::App& app, CommandLine& line, ListCommand& command) {
  auto* list = app.add_subcommand("list", "List what is shipped: models, gpus, clusters or presets");
  list->add_option("WHAT", command.what, "models, gpus, clusters or presets")
      ->required()
      ->check(CLI::IsMember({"models", "gpus", "clusters", "presets"}));
  add_common(*list, line);
}

/// What varies a scenario from the command line, as typed.
struct Variation {
  std::vector<int> gpus;
  std::string cluster;
  std::vector<std::string> set;   ///< /json/path=VALUE
  std::vector<std::string> sweep; ///< /json/path=A,B,C
};

const std::map<std::string, Fidelity>& fidelity_names() {
  static const std::map<std::string, Fidelity> names{{"auto", Fidelity::automatic},
                                                     {"folded", Fidelity::folded},
                                                     {"full", Fidelity::full},
                                                     {"closed-form", Fidelity::closed_form}};
  return names;
}

void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation) {
  auto* predict = app.add_subcommand(
      "predict", "Predict a scenario: throughput, iteration time and efficiency with 90 % intervals");
  predict->add_option("SCENARIO", command.scenarios, "Scenario files; several make a sweep")->required();
  predict->add_option("--sweep", variation.sweep,
                      "/json/path=A,B,C: the scenario once for each value, e.g. /cluster=iris,dgx1-v100; several "
                      "options: every combination");
  predict
      ->add_option("--jobs,-j", command.jobs, "Scenarios of a sweep computed beside each other; all cores if not given")
      ->check(CLI::PositiveNumber);
  predict->add_option("--gpus", variation.gpus, "GPU counts instead of the scenario's: 1,8,64")
      ->delimiter(',')
      ->check(CLI::PositiveNumber);
  predict->add_option("--cluster", variation.cluster, "Cluster instead of the scenario's");
  predict->add_option("--strategy", command.strategies, "Only these of the scenario's strategies: ring,ps")
      ->delimiter(',');
  predict->add_option("--set", variation.set,
                      "/json/path=VALUE: another value in the scenario, e.g. /batch_per_gpu=64");
  predict->add_flag("--csv", command.csv, "The points as CSV");
  predict
      ->add_option(
          "--fidelity", command.fidelity,
          "auto: formulas where they are exact, else simulated; folded: what plays the same role once; full: every "
          "message on SimGrid; closed-form: formulas only")
      ->transform(CLI::CheckedTransformer(fidelity_names(), CLI::ignore_case).description(""))
      ->default_str("auto");
  add_common(*predict, line);
  add_output(*predict, line);
}

void add_calibrate(CLI::App& app, CommandLine& line, CalibrateCommand& command) {
  auto* calibrate = app.add_subcommand(
      "calibrate", "Learn a cluster's parameters from its measurements: platforms/NAME/calibration.json");
  calibrate->add_option("--cluster", command.cluster, "Folder name under platforms/")->required();
  add_common(*calibrate, line);
  add_output(*calibrate, line);
}

/// What a person says of a table of rates, or of a log; "NAME=VALUE" words go to `given`.
void add_context(CLI::App& app, ImportContext& context, std::vector<std::string>& given) {
  app.add_option("--gpu", context.gpu, "GPU, as `ddlsim list gpus` names it");
  app.add_option("--machine", context.machine, "The machine in words");
  app.add_option("--software", context.software, "Names and versions");
  app.add_option("--date", context.date, "2018, 2018-05 or 2018-05-07");
  app.add_option("--who", context.who, "Who measured");
  app.add_option("--title", context.title, "Title of the source");
  app.add_option("--set", given, "NAME=VALUE that holds for every row, e.g. --set transport=nccl-ib");
}

void add_validate(CLI::App& app, CommandLine& line, ValidateCommand& command, std::vector<std::string>& given) {
  auto* validate =
      app.add_subcommand("validate", "Score the simulator and its rivals on measured series they did not see");
  validate->add_option("--measurements", command.measurements,
                       "Measurement files of your own, besides the shipped ones; a .csv is a table of rates as "
                       "`ddlsim import csv` takes it, and --gpu ... --set say of it what they say there");
  validate->add_option("--cluster", command.context.cluster,
                       "Score this cluster's series only; a table of rates was measured on it");
  validate->add_flag("--own-only", command.own_only, "Score the series of --measurements only");
  validate->add_option("--split", command.splits, "Only these: T1,T2,T3,leave-one-model-out,...")
      ->delimiter(',')
      ->check(CLI::IsMember(split_names()));
  validate->add_option("--html", command.html, "Write a page with charts and every point to this file");
  validate->add_option("--bar", command.bar, "Fail when a figure is worse than in this file (validate/accuracy.json)");
  validate->add_option("--update-bar", command.update_bar,
                       "Lower the figures of this file to those reached; fails when one rose");
  add_context(*validate, command.context, given);
  add_common(*validate, line);
  add_output(*validate, line);
}

void add_import(CLI::App& app, CommandLine& line, ImportCommand& command, std::vector<std::string>& given) {
  auto* import = app.add_subcommand("import", "Turn a table of rates or an nccl-tests log into measurement records");
  import->add_option("KIND", command.kind, "nccl-tests or csv")
      ->required()
      ->check(CLI::IsMember({"nccl-tests", "csv"}));
  import->add_option("FILE", command.file, "Log or table")->required();
  import->add_option("--cluster", command.context.cluster, "Cluster the figures were measured on");
  add_context(*import, command.context, given);
  add_common(*import, line);
  import->add_option("--output,-o", line.output, "Write the records to this file instead of standard output");
}

/// What cannot be meant together, in a sentence; "" when all is well.
std::string contradiction_in(const ValidateCommand& command) {
  const auto& said = command.context;
  const bool table = std::any_of(command.measurements.begin(), command.measurements.end(), is_csv);
  const bool described = !said.given.empty() || !said.gpu.empty() || !said.machine.empty() || !said.software.empty() ||
                         !said.date.empty() || !said.who.empty() || !said.title.empty();
  if (described && !table)
    return "--gpu, --machine, --software, --date, --who, --title and --set describe a table of rates; give one with "
           "--measurements FILE.csv";
  if (command.own_only && command.measurements.empty()) return "--own-only needs --measurements FILE";
  const bool some_only = !command.measurements.empty() || !said.cluster.empty();
  if (some_only && (!command.bar.empty() || !command.update_bar.empty()))
    return "a bar is of all shipped series; give --bar and --update-bar without --measurements and --cluster";
  return "";
}

/// "NAME=VALUE" words, taken apart; `wrong` becomes the first word that is not one.
std::vector<std::pair<std::string, std::string>> split_words(const std::vector<std::string>& words,
                                                             std::string& wrong) {
  std::vector<std::pair<std::string, std::string>> pairs;
  for (const auto& word : words) {
    const auto equals = word.find('=');
    if ((equals == 0 || equals == std::string::npos) && wrong.empty()) wrong = word;
    if (equals != std::string::npos) pairs.emplace_back(word.substr(0, equals), word.substr(equals + 1));
  }
  return pairs;
}

/// GPU counts in ascending order, each once, as a scenario has them.
std::string as_json_list(std::vector<int> counts) {
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return fmt::format("[{}]", fmt::join(counts, ","));
}

/// --set first, so that --gpus and --cluster, which say the same more plainly, come last.
std::vector<JsonChange> changes_of(const Variation& variation, std::string& wrong) {
  std::vector<JsonChange> changes;
  for (const auto& [path, value] : split_words(variation.set, wrong)) changes.push_back({path, value});
  if (!variation.gpus.empty()) changes.push_back({"/gpus", as_json_list(variation.gpus)});
  if (!variation.cluster.empty()) changes.push_back({"/cluster", fmt::format("\"{}\"", variation.cluster)});
  return changes;
}

/// At the commas that are outside of brackets and quotes.
std::vector<std::string> split_values(const std::string& text) {
  std::vector<std::string> values(1);
  int depth = 0;
  bool in_text = false;
  for (const char c : text) {
    if (c == '"') in_text = !in_text;
    if (!in_text && (c == '[' || c == '{')) ++depth;
    if (!in_text && (c == ']' || c == '}')) --depth;
    if (c == ',' && depth == 0 && !in_text) {
      values.emplace_back();
    } else {
      values.back() += c;
    }
  }
  return values;
}

std::vector<SweepAxis> axes_of(const Variation& variation, std::string& wrong) {
  std::vector<SweepAxis> axes;
  for (const auto& [path, values] : split_words(variation.sweep, wrong)) axes.push_back({path, split_values(values)});
  return axes;
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
  CalibrateCommand calibrate;
  ValidateCommand validate;
  ImportCommand import;
  std::vector<std::string> given;
  Variation variation;

  CLI::App app{"ddlsim: how fast distributed training will run on a cluster you do not have yet, and how sure that is",
               "ddlsim"};
  app.set_version_flag("--version", version());
  app.require_subcommand(1);
  add_check(app, line, check);
  add_list(app, line, list);
  add_predict(app, line, predict, variation);
  add_calibrate(app, line, calibrate);
  add_validate(app, line, validate, given);
  add_import(app, line, import, given);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, argc, argv);
  }
  std::string wrong;
  for (const auto& [name, value] : split_words(given, wrong)) import.context.given[name] = value;
  validate.context.given = import.context.given;
  predict.changes = changes_of(variation, wrong);
  if (!wrong.empty()) return EarlyExit{wrong_use, "", fmt::format("ddlsim: --set {}: expected NAME=VALUE\n", wrong)};
  predict.axes = axes_of(variation, wrong);
  if (!wrong.empty())
    return EarlyExit{wrong_use, "", fmt::format("ddlsim: --sweep {}: expected /json/path=A,B,C\n", wrong)};

  if (const auto told = contradiction_in(validate); !told.empty())
    return EarlyExit{wrong_use, "", "ddlsim: " + told + "\n"};

  const auto& chosen = app.get_subcommands().front()->get_name();
  if (chosen == "check") line.command = check;
  if (chosen == "list") line.command = list;
  if (chosen == "predict") line.command = predict;
  if (chosen == "calibrate") line.command = calibrate;
  if (chosen == "validate") line.command = validate;
  if (chosen == "import") line.command = import;
  return line;
}

} // namespace ddlsim
