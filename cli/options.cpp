#include "cli/options.hpp"

#include "calibrate/import/plain_text.hpp"
#include "cli/command_options.hpp"
#include "sim/base/names.hpp"
#include "sim/base/table.hpp"
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
  static const std::vector<std::string> names{"check",    "list",     "calibrate", "predict", "plan",
                                              "validate", "diagnose", "import",    "export",  "new"};
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

/// Options that exclude each other, in a sentence; "" where there are none.
std::string conflict_in(const PredictCommand& command) {
  const bool sweep = command.scenarios.size() > 1 || !command.axes.empty();
  if (command.markdown && (sweep || !command.collective.empty()))
    return "--markdown is of one scenario's iterations; give it without --sweep and --collective";
  if (sweep && !command.trace.empty()) return "--trace writes one iteration; give one scenario without --sweep";
  if (command.collective.empty()) return command.sizes.empty() ? "" : "--sizes are a collective's; give --collective";
  if (sweep) return "--collective asks one scenario; give it without --sweep";
  if (!command.html.empty()) return "a page is of iterations; give --html without --collective";
  return command.trace.empty() ? "" : "--collective has no iteration to trace; give one of --collective and --trace";
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

std::variant<CommandLine, EarlyExit> parse_command_line(int argc, const char* const* argv,
                                                        const std::filesystem::path& data_folder) {
  CommandLine line;
  line.data_folder = data_folder;
  CheckCommand check;
  ListCommand list;
  PredictCommand predict;
  PlanCommand plan;
  CalibrateCommand calibrate;
  ValidateCommand validate;
  ImportCommand import;
  ExportCommand exporting;
  NewCommand making;
  std::vector<std::string> given;
  Variation variation;
  Variation of_request;
  DiagnoseCommand diagnosing;
  Variation of_diagnosis;

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
  add_diagnose(app, line, diagnosing, of_diagnosis);
  add_import(app, line, import, given);
  add_export(app, line, exporting, variation);
  add_new(app, line, making);
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
  diagnosing.changes = changes_of(of_diagnosis, wrong);
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
  if (chosen == "diagnose") line.command = diagnosing;
  if (chosen == "new") line.command = making;
  return line;
}

} // namespace ddlsim
