// The options of `plan`, and those of a plan's request in words.

#include "cli/command_options.hpp"

namespace ddlsim {
namespace {

/// What a request in words shares with a scenario, for which `new` has these options already.
void add_plan_basics(CLI::App& app, PlanWords& words) {
  app.add_option("--batch", words.batch_per_gpu, "Samples that one GPU processes in an iteration")
      ->type_name("N")
      ->check(above_zero());
  app.add_option("--precision", words.precision, "bf16 for language models if not given, else fp32")->type_name("NAME");
  app.add_option("--preset", words.preset, "The framework (`ddlsim list presets`)")->type_name("NAME");
  app.add_option("--gpus", words.gpus, "Numbers of GPUs to try; doubled up to the most if not given")
      ->delimiter(',')
      ->type_name("N,N")
      ->check(whole_above_zero());
}

} // namespace

void add_prices(CLI::App& app, PlanWords& words, const std::string& what) {
  app.add_option("--price", words.prices,
                 what +
                     "US dollars an hour for a node of a machine of --on. MACHINE is its name, or its position in --on "
                     "from 1; may be given several times")
      ->delimiter(',')
      ->allow_extra_args(false)
      ->type_name("MACHINE=USD");
}

void add_plan_words(CLI::App& app, PlanWords& words, const std::string& what) {
  const auto add_text = [&](const char* option, std::string& text, const char* type, const char* meaning) {
    app.add_option(option, text, what + meaning)->type_name(type);
  };
  app.add_option("--on", words.machines,
                 what + "Machines: clusters by name or path, or words like \"64 x 8 x H100, 8x400 Gb/s IB\"")
      ->type_name("CLUSTER,CLUSTER");
  add_text("--tokens", words.tokens, "COUNT", "Tokens of the training, like 300B");
  add_text("--samples", words.samples, "COUNT", "Samples of the data set, like 1.28M");
  app.add_option("--epochs", words.epochs, what + "Times that it is read; 1 if not given")
      ->type_name("N")
      ->check(above_zero());
  add_text("--within", words.deadline, "TIME", "Time that the training may take, like 90d");
  add_text("--budget", words.budget, "MONEY", "Money that it may cost, like 3M (US dollars)");
  if (app.get_option_no_throw("--power") == nullptr) // `new` has it for GPUs
    add_text("--power", words.power, "POWER", "Power of the nodes with their cooling, like 2MW");
  if (app.get_option_no_throw("--price") == nullptr) add_prices(app, words, what);
  app.add_option("--chance", words.chance, what + "Probability with which limits must be kept; 0.9 if not given")
      ->type_name("SHARE")
      ->check(a_number({.least = 0.01, .most = 1}));
  app.add_option("--global-batch", words.global_batch, what + "Samples of an iteration on all GPUs")
      ->type_name("N")
      ->check(whole_above_zero());
}

void add_plan(CLI::App& app, CommandLine& line, PlanCommand& command, std::vector<std::string>& set) {
  auto& plan = add_command(app, line, "plan",
                           "What to buy or rent for a training: time, cost and energy of each option, with intervals");
  plan.add_option(
          "REQUEST", command.request,
          "Request file: the training, its limits, what could be had; with --on the model, by a name or the path "
          "of a file or config.json")
      ->required()
      ->type_name("");
  add_plan_words(plan, command.words, "");
  add_plan_basics(plan, command.words);
  plan.add_option("--set", set,
                  "Another value of a field of the request, e.g. /limits/deadline=\"12 h\"; may be given several times")
      ->allow_extra_args(false)
      ->type_name("/PATH=VALUE");
  add_model(plan, command.model, command.sequence);
  auto* csv = plan.add_flag("--csv", command.csv, "A row for each option as CSV, every figure in SI units");
  plan.add_flag("--markdown", command.markdown, "The sentences and a table of all options, for a proposal")
      ->excludes(csv);
  plan.add_flag("--details", command.details,
                "The best options with every figure, and prices and power with their sources; otherwise one screen");
  add_picture(plan, command.picture, "the choice, charts and all options");
  add_json(plan, line);
  add_output(plan, line);
  add_threads(plan, line);
}

} // namespace ddlsim
