#include "cli/command_options.hpp"
#include "cli/known_formats.hpp"
#include "sim/base/error.hpp"

#include <fmt/format.h>

#include <map>

namespace ddlsim {
namespace {

const std::map<std::string, Fidelity>& fidelity_names() {
  static const std::map<std::string, Fidelity> names{
      {"default", Fidelity::by_default}, {"full", Fidelity::full}, {"formula", Fidelity::formula}};
  return names;
}

/// Returns the present name of a fidelity for a former name; "" for any other text.
std::string name_now(const std::string& text) {
  if (text == "screening") return "formula";
  return text == "auto" || text == "by-symmetry" ? "default" : "";
}

/// Replaces the name of a value by its number, because CLI11 reads an enum from a number.
template <class Value> CLI::Validator by_name(const std::map<std::string, Value>& values) {
  const auto replace = [values](std::string& text) {
    const auto found = values.find(text);
    if (found == values.end()) {
      std::vector<std::string> names;
      for (const auto& row : values) names.push_back(row.first);
      const std::string nearest = values.contains(name_now(text)) ? name_now(text) : nearest_name(text, names);
      return fmt::format("{} found, one of {} expected{}", in_quotes(text), join_names(names),
                         nearest.empty() ? "" : fmt::format("; did you mean {}?", nearest));
    }
    text = std::to_string(static_cast<int>(found->second));
    return std::string();
  };
  return CLI::Validator(replace, "");
}

} // namespace

void add_common_options(CLI::App& app, CommandLine& line) {
  app.add_option("--data", line.data_folder, "Holds platforms/ and scenarios/; the shipped ones if not given")
      ->type_name("FOLDER")
      ->group("Of every command");
  app.add_flag("--quiet,-q", line.quiet, "Only results and errors: no progress, no remarks")->group("Of every command");
}

CLI::App& add_command(CLI::App& app, CommandLine& line, const std::string& name, const std::string& description) {
  auto& command = *app.add_subcommand(name, description);
  command.footer(examples_of(name));
  add_common_options(command, line);
  return command;
}

void add_output(CLI::App& app, CommandLine& line, const std::string& what) {
  app.add_option("--output,-o", line.output,
                 fmt::format("Write {} to this file, whole or not at all, instead of to standard output", what))
      ->type_name("FILE");
}

CLI::Option* add_threads(CLI::App& app, CommandLine& line) {
  return app
      .add_option("--threads,-j", line.threads,
                  "Threads, or processes with a thread each, at a time; as many as the cores this process may use if "
                  "not given. No answer depends on it")
      ->type_name("N")
      ->check(whole_above_zero());
}

void add_json(CLI::App& app, CommandLine& line) {
  app.add_flag("--json", line.json, "The result as JSON, every figure in SI units");
}

std::vector<CLI::Option*> add_picture(CLI::App& app, PictureFiles& files, const std::string& what) {
  auto* html = app.add_option("--html", files.html, fmt::format("Write a page with {}, which needs no network", what))
                   ->type_name("FILE");
  auto* svg = app.add_option("--svg", files.svg, "Write the page's first chart as a picture")->type_name("FILE");
  return {html, svg};
}

void add_changes(CLI::App& app, Variation& variation) {
  app.add_option("--cluster", variation.cluster, "Cluster instead of the scenario's (`ddlsim list clusters`)")
      ->type_name("NAME");
  app.add_option("--set", variation.set,
                 "Another value of a field of the scenario, e.g. /batch_per_gpu=64; may be given several times")
      ->allow_extra_args(false) // the word after this option is a file
      ->type_name("/PATH=VALUE");
}

void add_model(CLI::App& app, std::string& model, long& sequence) {
  app.add_option("--model", model,
                 "Model instead of the file's: a name (`ddlsim list models`), the path of a layer table, or of a "
                 "config.json of Hugging Face Transformers")
      ->type_name("NAME");
  add_sequence(app, sequence);
}

namespace {

/// Refuses what is neither a number of GPUs nor a range.
CLI::Validator counts_or_range() {
  return {[](const std::string& word) {
            std::string wrong;
            gpu_counts({word}, wrong);
            return wrong;
          },
          ""};
}

void add_batch(CLI::App& app, Variation& variation) {
  app.add_option("--global-batch", variation.global_batch,
                 "Samples of all GPUs together in an iteration, instead of the scenario's batch; each scale's batch of "
                 "a GPU follows")
      ->type_name("N")
      ->check(above_zero());
  app.add_option("--micro-batch", variation.micro_batch,
                 "Samples that a replica computes at the same time; each scale's number of micro-batches follows")
      ->type_name("N")
      ->check(above_zero());
}

} // namespace

void add_sequence(CLI::App& app, long& sequence) {
  app.add_option("--sequence", sequence, "Of a model that is a config.json: tokens a sample")
      ->type_name("TOKENS")
      ->check(a_number({.least = 1, .most = 100'000'000, .whole = true}));
}

void add_check(CLI::App& app, CommandLine& line, CheckCommand& command) {
  auto& check = add_command(app, line, "check",
                            "Check files: scenarios, models, configs, clusters, records, catalogues, calibrations");
  check.add_option("FILE", command.files, "Files to check; all mistakes of all files are reported")
      ->required()
      ->type_name("");
  add_sequence(check, command.sequence);
  check.add_flag("--details", command.details, "A line for each file, however many there are");
}

void add_list(CLI::App& app, CommandLine& line, ListCommand& command) {
  auto& list =
      add_command(app, line, "list", "List what is shipped: models, gpus, clusters, presets, inputs or convergence");
  list.add_flag("--details", command.details, "Every one with its figures; otherwise one screen");
  list.add_option("WHAT", command.what,
                  "models, gpus, clusters, presets, inputs (storage, formats, loaders) or convergence")
      ->required()
      ->type_name("")
      ->check(CLI::IsMember({"models", "gpus", "clusters", "presets", "inputs", "convergence"}).description(""));
  list.add_option("WORD", command.word, "Only those with this word in their names or titles")->type_name("");
}

void add_explain(CLI::App& app, CommandLine& line, ExplainCommand& command) {
  auto& explain = add_command(app, line, "explain", "Explain a word that a command prints, or list all such words");
  explain
      .add_option("TERM", command.words,
                  "The word, or several that are one term, in any spelling; all terms are listed if not given")
      ->type_name("");
  add_json(explain, line);
}

void add_schema(CLI::App& app, CommandLine& line, SchemaCommand& command) {
  auto& schema = add_command(
      app, line, "schema", "Print which keys a kind of file or answer may have, as a JSON schema or a Markdown table");
  schema.add_option("KIND", command.format, "One of " + join_names(names_of_formats()))->required()->type_name("");
  schema.add_flag("--markdown", command.markdown, "The keys as a Markdown table");
  add_output(schema, line, "the schema");
}

void add_predict(CLI::App& app, CommandLine& line, PredictCommand& command, Variation& variation) {
  auto& predict = add_command(app, line, "predict",
                              "Predict a scenario: throughput, iteration time and efficiency with 90 % intervals");
  predict.add_option("SCENARIO", command.scenarios, "Scenario files; several make a sweep")->required()->type_name("");
  predict
      .add_option("--gpus", variation.gpus,
                  "Numbers of GPUs instead of the scenario's, e.g. 1,8,64; 8..4096 for a smooth curve")
      ->delimiter(',')
      ->allow_extra_args(false) // the word after this option is a file
      ->type_name("N,N")
      ->check(counts_or_range());
  predict.add_option("--strategy", command.strategies, "Only these of the scenario's strategies, e.g. ring,ps")
      ->delimiter(',')
      ->type_name("NAME,NAME");
  add_changes(predict, variation);
  add_model(predict, variation.model, command.sequence);
  add_batch(predict, variation);
  predict
      .add_option("--sweep", variation.sweep,
                  "The scenario once for each value, e.g. /cluster=iris,dgx1-v100; of several every combination")
      ->allow_extra_args(false)
      ->type_name("/PATH=A,B");
  add_threads(predict, line);
  predict
      .add_option(
          "--fidelity", command.fidelity,
          "What times communication: default (SimGrid, in about a second), full (SimGrid with every message, up to "
          "about a minute), formula (closed forms, without SimGrid and without neighbours)")
      ->type_name("HOW")
      ->transform(by_name(fidelity_names()));
  predict
      .add_option("--trace", command.trace,
                  "Write the simulated iteration of the first strategy at the largest scale to this file, as Chrome "
                  "trace JSON for Perfetto; --strategy and --gpus choose another")
      ->type_name("FILE");
  predict
      .add_option(
          "--collective", command.collective,
          "all-reduce: its time and bus bandwidth over size and GPUs, nothing else running, in place of iterations")
      ->type_name("NAME")
      ->check(CLI::IsMember({"all-reduce"}).description(""));
  predict
      .add_option("--sizes", command.sizes, "Sizes of the collective, e.g. 64KiB,16MiB; 1 KiB to 1 GiB if not given")
      ->delimiter(',')
      ->type_name("SIZE,SIZE");
  add_picture(predict, command.picture, "charts, every point and where the time goes; a sweep's has controls");
  auto* csv = predict.add_flag("--csv", command.csv, "A row for each point as CSV, every figure in SI units");
  auto* markdown =
      predict
          .add_flag("--markdown", command.markdown, "The answer in sentences and a table a strategy, for a proposal")
          ->excludes(csv);
  predict
      .add_option("--template", command.form,
                  "With --markdown: allocation, a request with the question, scaling, GPU-hours, how sure, sources")
      ->type_name("NAME")
      ->needs(markdown)
      ->check(CLI::IsMember({"allocation"}).description(""));
  predict.add_flag("--details", command.details,
                   "Every strategy and scale, with where the time goes; otherwise one screen");
  predict
      .add_flag("--why", command.why,
                "The details, and of each strategy at the largest scale: what the number rests on, and what makes the "
                "interval")
      ->excludes(csv);
  add_json(predict, line);
  add_output(predict, line);
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
      ->check(whole_above_zero());
  exporting.add_option("--strategy", command.strategies, "One of the scenario's strategies; its first if not given")
      ->expected(1)
      ->type_name("NAME");
  add_changes(exporting, variation);
  add_model(exporting, variation.model, command.sequence);
  exporting.add_option("--output,-o", line.output, "The file to write, or what the names of the files begin with")
      ->required()
      ->type_name("FILE");
}

} // namespace ddlsim
