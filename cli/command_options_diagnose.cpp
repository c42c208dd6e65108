#include "cli/command_options.hpp"
#include "cli/diagnose_logs.hpp"
#include "sim/formats/names.hpp"

namespace ddlsim {
namespace {

/// Adds the options that describe a job without a scenario.
void add_question(CLI::App& app, DiagnoseCommand& command) {
  app.add_option("--gpu", command.gpu, "Without a scenario: the GPU, where the log does not say it")->type_name("NAME");
  app.add_option("--network", command.networks,
                 "Without a scenario: ports a node, rate of one, kind, e.g. \"8x400 Gbps ib\"; or --cluster NAME")
      ->allow_extra_args(false)
      ->type_name("TEXT");
  app.add_option("--gpus-per-node", command.gpus_per_node, "Without a scenario, where the log does not say it")
      ->type_name("N")
      ->check(whole_above_zero());
  app.add_option("--model", command.model, "Without a scenario: the model that a log of training is of")
      ->type_name("NAME");
  add_sequence(app, command.sequence);
  app.add_option("--batch-per-gpu", command.batch_per_gpu,
                 "Without a scenario: samples a GPU, where the log does not say it")
      ->type_name("N")
      ->check(above_zero());
  app.add_option("--precision", command.precision, "Without a scenario, where the log does not say it; else fp32")
      ->type_name("NAME");
  app.add_option("--preset", command.preset,
                 "Without a scenario: the framework (`ddlsim list presets`); else pytorch-ddp")
      ->type_name("NAME");
  app.add_option("--transport", command.transport,
                 "Without a scenario: what carries bytes between nodes, e.g. nccl-tcp")
      ->type_name("NAME");
}

void add_measured(CLI::App& app, DiagnoseCommand& command) {
  constexpr double most = 10'000'000;
  app.add_option("--ranks", command.ranks, "GPUs that the log is of, where it does not say so itself")
      ->type_name("N")
      ->check(a_number({.least = 1, .most = most, .whole = true}));
  app.add_option("--nodes", command.nodes, "Nodes that the log is of, where it does not say so itself")
      ->type_name("N")
      ->check(a_number({.least = 1, .most = most, .whole = true}));
  add_map(app, command.map);
  app.final_callback([&command] {
    ImportContext columns;
    settle_columns(command.map, columns);
    command.columns = columns.columns;
  });
  app.add_option("--step", command.steps, "Time of an iteration on so many GPUs; may be given several times")
      ->allow_extra_args(false) // the word after this option is a log
      ->type_name("GPUS=TIME");
}

} // namespace

void add_diagnose(CLI::App& app, CommandLine& line, DiagnoseCommand& command, Variation& variation) {
  auto& diagnose = add_command(app, line, "diagnose",
                               "Is what was measured what a healthy cluster does? Else what explains it; exit code 3");
  diagnose
      .add_option("FILE", command.logs,
                  "The scenario, if there is one, and what was measured: any log or table that `ddlsim import` reads, "
                  "or records (.jsonl)")
      ->type_name("");
  add_measured(diagnose, command);
  add_question(diagnose, command);
  diagnose.add_option("--strategy", command.strategies, "One of the scenario's strategies; its first if not given")
      ->expected(1)
      ->allow_extra_args(false)
      ->type_name("NAME");
  diagnose
      .add_option("--level", command.level,
                  "Not normal below this chance of a healthy cluster: 0.05 if not given, so that one healthy check in "
                  "twenty is called not normal")
      ->type_name("SHARE")
      ->check(a_number({.least = 0.001, .most = 0.5}));
  diagnose.add_flag("--details", command.details, "Every point beside what was expected, and every cause");
  auto* follow = diagnose.add_flag("--follow", command.follow,
                                   "Watch the logs while they grow, and print the verdict when it changes; ends with "
                                   "Ctrl-C, or after --for");
  diagnose.add_option("--for", command.follow_for, "With --follow: end after that time, e.g. \"8 h\"")
      ->type_name("TIME")
      ->needs(follow);
  for (auto* option : add_picture(diagnose, command.picture, "the verdict, a chart of what was measured, and causes"))
    option->excludes(follow);
  add_changes(diagnose, variation);
  add_threads(diagnose, line);
  add_json(diagnose, line);
  add_output(diagnose, line);
}

} // namespace ddlsim
