#include "cli/options.hpp"

#include "cli/command_options.hpp"
#include "cli/completion.hpp"
#include "import/plain_text.hpp"
#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/base/threads.hpp"
#include "sim/predict/prediction.hpp"

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
  static const std::vector<std::string> names{"check",    "list",   "calibrate", "predict", "plan",    "validate",
                                              "diagnose", "import", "export",    "new",     "explain", "schema"};
  return names;
}

/// Formats descriptions in lines that fit a terminal.
class HelpInColumns : public CLI::Formatter {
public:
  std::string make_option_desc(const CLI::Option* option) const override {
    std::string text = to_lines(option->get_description(), report_columns - get_column_width() - 3);
    text.pop_back();
    return text;
  }
};

/// Returns one sentence on options that exclude each other; "" if there are none.
std::string conflict_in(const PredictCommand& command) {
  const bool sweep = command.scenarios.size() > 1 || !command.axes.empty();
  if (command.markdown && (sweep || !command.collective.empty()))
    return "--markdown is of one scenario's iterations; give it without --sweep and --collective";
  if (command.why && (sweep || !command.collective.empty()))
    return "--why is of one scenario's iterations; give it without --sweep and --collective";
  if (sweep && !command.trace.empty()) return "--trace writes one iteration; give one scenario without --sweep";
  if (command.collective.empty()) return command.sizes.empty() ? "" : "--sizes are a collective's; give --collective";
  if (sweep) return "--collective asks one scenario; give it without --sweep";
  if (!command.picture.html.empty() || !command.picture.svg.empty())
    return "a page is of iterations; give --html and --svg without --collective";
  return command.trace.empty() ? "" : "--collective has no iteration to trace; give one of --collective and --trace";
}

/// Whether the command asks about shipped series.
bool asks_of_series(const ValidateCommand& command) {
  return !command.measurements.empty() || !command.context.cluster.empty() || command.own_only || command.collectives ||
         command.ratios || !command.splits.empty() || !command.sites.empty() || !command.picture.html.empty() ||
         !command.picture.svg.empty() || !command.thresholds.empty() || !command.update_thresholds.empty() ||
         !command.without.empty() || command.placebos > 0;
}

std::string conflict_in(const ValidateCommand& command) {
  if (command.blind && asks_of_series(command))
    return "--blind asks about its own files only; give it without what chooses or compares shipped series";
  const auto& stated = command.context;
  const bool table = std::any_of(command.measurements.begin(), command.measurements.end(), is_csv);
  const bool described = !stated.given.empty() || !stated.gpu.empty() || !stated.machine.empty() ||
                         !stated.software.empty() || !stated.date.empty() || !stated.who.empty() ||
                         !stated.title.empty();
  if (described && !table)
    return "--gpu, --machine, --software, --date, --who, --title and --set describe a table of rates; give one with "
           "--measurements FILE.csv";
  if (command.own_only && command.measurements.empty()) return "--own-only needs --measurements FILE";
  const bool some_only = !command.measurements.empty() || !stated.cluster.empty() || !command.sites.empty();
  if (some_only && (!command.thresholds.empty() || !command.update_thresholds.empty()))
    return "a file of thresholds names its sites; give --thresholds and --update-thresholds without --measurements, "
           "--cluster and --sites";
  return "";
}

namespace fs = std::filesystem;

/// Finds shipped files. A relative path that does not exist here names the file in the data folder, if there is one.
void find_shipped(fs::path& file, const fs::path& data_folder) {
  std::error_code ignored;
  if (file.is_absolute() || fs::exists(file, ignored)) return;
  if (fs::exists(data_folder / file, ignored)) file = data_folder / file;
}

/// Whether the arguments are `ddlsim complete WORD...`, which shell completions call. The words after it are not
/// parsed.
bool asks_completion(int argc, const char* const* argv) {
  return argc > 1 && std::string_view(argv[1]) == "complete";
}

/// Returns the message for an option that was renamed since the last version; "" if no argument is one.
std::string renamed_option(int argc, const char* const* argv) {
  constexpr std::pair<std::string_view, std::string_view> renamed[] = {{"--bar", "--thresholds"},
                                                                       {"--update-bar", "--update-thresholds"}};
  for (int i = 1; i < argc; ++i)
    for (const auto& [old, now] : renamed)
      if (old == argv[i]) return fmt::format("{} is called {} now\n", old, now);
  return "";
}

/// The command that the arguments name; null for none.
const CLI::App* command_of(const CLI::App& app, int argc, const char* const* argv) {
  for (int i = 1; i < argc; ++i)
    for (const auto* command : app.get_subcommands([](const CLI::App*) { return true; }))
      if (command->get_name() == argv[i]) return command;
  return nullptr;
}

/// Returns what to type in place of the first argument that the command does not know; "" if there is no such one.
std::string unknown_argument(const CLI::App& app, int argc, const char* const* argv) {
  const auto* command = command_of(app, argc, argv);
  if (command == nullptr) return "";
  std::vector<std::string> names;
  for (const auto* option : command->get_options())
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto name = word.substr(0, word.find('='));
    if (!name.starts_with("--") || is_in(names, name)) continue;
    const auto near = nearest_name(name, names);
    return fmt::format("{} has no option {}{}\n", command->get_name(), name,
                       near.empty() ? "; `ddlsim " + command->get_name() + " --help` lists its options"
                                    : "; did you mean " + near + "?");
  }
  const auto extras = command->remaining();
  if (command->get_name() == "calibrate" && !extras.empty())
    return fmt::format("\"{0}\" was not expected; name a cluster with --cluster {0}\n", extras.front());
  return "";
}

/// Rewrites `help predict` as `predict --help`.
std::vector<const char*> with_help_option(int argc, const char* const* argv) {
  std::vector<const char*> words(argv, argv + argc);
  if (words.size() < 2 || std::string_view(words[1]) != "help") return words;
  words.erase(words.begin() + 1);
  words.push_back("--help");
  return words;
}

EarlyExit explain(const CLI::App& app, const CLI::ParseError& error, int argc, const char* const* argv) {
  std::ostringstream out;
  std::ostringstream err;
  const int code = app.exit(error, out, err);
  if (code == 0) return {0, out.str(), ""};
  std::string text = err.str();
  if (error.get_exit_code() == static_cast<int>(CLI::ExitCodes::ExtrasError)) {
    const auto told = unknown_argument(app, argc, argv);
    text = told.empty() ? text : told;
  }
  const std::string first = argc > 1 ? argv[1] : "";
  const bool unknown = !first.empty() && first[0] != '-' &&
                       std::find(command_names().begin(), command_names().end(), first) == command_names().end();
  if (unknown) {
    const auto near = nearest_name(first, command_names());
    text = fmt::format("\"{}\" is not a command; {}\n", first,
                       near.empty() ? "give one of " + join_names(command_names()) : "did you mean \"" + near + "\"?");
  }
  return {wrong_use, "", "ddlsim: " + renamed_option(argc, argv) + text};
}

/// The places where the options of all commands are stored. Only one command is used.
struct Arguments {
  CommandLine line;
  CheckCommand check;
  ListCommand list;
  PredictCommand predict;
  PlanCommand plan;
  CalibrateCommand calibrate;
  ValidateCommand validate;
  ImportCommand import;
  ExportCommand exporting;
  NewCommand making;
  ExplainCommand explaining;
  SchemaCommand describing;
  DiagnoseCommand diagnosing;
  std::vector<std::string> given; ///< texts of --set, for import and validate
  Variation variation;            ///< changes of the scenario, for predict and export
  Variation of_request;
  Variation of_diagnosis;
};

void add_commands(CLI::App& app, Arguments& all) {
  app.set_version_flag("--version", version(), "Print the version");
  app.set_help_flag("--help,-h", "Print this");
  const auto help = std::make_shared<HelpInColumns>();
  help->label("SUBCOMMAND", "COMMAND");
  app.formatter(help);
  app.footer(examples_of(""));
  app.require_subcommand(1);
  add_common_options(app, all.line);
  add_check(app, all.line, all.check);
  add_list(app, all.line, all.list);
  add_predict(app, all.line, all.predict, all.variation);
  add_plan(app, all.line, all.plan, all.of_request.set);
  add_calibrate(app, all.line, all.calibrate);
  add_validate(app, all.line, all.validate, all.given);
  add_diagnose(app, all.line, all.diagnosing, all.of_diagnosis);
  add_import(app, all.line, all.import, all.given);
  add_export(app, all.line, all.exporting, all.variation);
  add_new(app, all.line, all.making);
  add_explain(app, all.line, all.explaining);
  add_schema(app, all.line, all.describing);
}

/// Turns NAME=VALUE texts into changes. Returns a sentence on the first mistake; "" if there is none.
std::string settle_changes(Arguments& all) {
  std::string wrong;
  for (const auto& [name, value] : split_words(all.given, wrong)) all.import.context.given[name] = value;
  all.validate.context.given = all.import.context.given;
  all.predict.changes = all.exporting.changes = changes_of(all.variation, wrong);
  all.plan.changes = changes_of(all.of_request, wrong);
  all.diagnosing.changes = changes_of(all.of_diagnosis, wrong);
  all.diagnosing.cluster = all.of_diagnosis.cluster;
  if (!wrong.empty()) return fmt::format("--set {}: expected NAME=VALUE", wrong);
  all.predict.axes = axes_of(all.variation, wrong);
  return wrong.empty() ? "" : fmt::format("--sweep {}: expected /json/path=A,B,C", wrong);
}

void find_shipped_files(Arguments& all) {
  const auto& data = all.line.data_folder;
  for (auto* files : {&all.check.files, &all.predict.scenarios, &all.diagnosing.logs})
    for (auto& file : *files) find_shipped(file, data);
  for (auto* file : {&all.plan.request, &all.exporting.scenario}) find_shipped(*file, data);
}

void choose(Arguments& all, const std::string& name) {
  auto& chosen = all.line.command;
  if (name == "check") chosen = all.check;
  if (name == "list") chosen = all.list;
  if (name == "predict") chosen = all.predict;
  if (name == "plan") chosen = all.plan;
  if (name == "calibrate") chosen = all.calibrate;
  if (name == "validate") chosen = all.validate;
  if (name == "import") chosen = all.import;
  if (name == "export") chosen = all.exporting;
  if (name == "diagnose") chosen = all.diagnosing;
  if (name == "new") chosen = all.making;
  if (name == "explain") chosen = all.explaining;
  if (name == "schema") chosen = all.describing;
}

} // namespace

bool is_csv(const std::filesystem::path& file) {
  return lower_case(file.extension().string()) == ".csv";
}

std::variant<CommandLine, EarlyExit> parse_command_line(int typed_count, const char* const* typed,
                                                        const fs::path& data_folder) {
  const auto words = with_help_option(typed_count, typed);
  const auto argc = static_cast<int>(words.size());
  const auto* const argv = words.data();
  Arguments all;
  all.line.data_folder = data_folder;
  CLI::App app{"ddlsim: predicts how fast distributed training runs on a cluster, and how certain the prediction is",
               "ddlsim"};
  add_commands(app, all);
  if (asks_completion(argc, argv))
    return EarlyExit{0, completions(app, {argv + 2, argv + argc}, DataFolder{all.line.data_folder}), ""};
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return explain(app, error, argc, argv);
  }
  const auto& chosen = app.get_subcommands().front()->get_name();
  std::string mistake = settle_changes(all);
  if (mistake.empty() && chosen == "predict") mistake = conflict_in(all.predict);
  if (mistake.empty() && chosen == "validate") mistake = conflict_in(all.validate);
  if (!mistake.empty()) return EarlyExit{wrong_use, "", "ddlsim: " + mistake + "\n"};
  find_shipped_files(all);
  choose(all, chosen);
  if (all.line.threads == 0) all.line.threads = machine_threads();
  return all.line;
}

} // namespace ddlsim
