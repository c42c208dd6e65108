#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "cli/diagnose_follow.hpp"
#include "cli/diagnose_logs.hpp"
#include "cli/diagnose_placement.hpp"
#include "cli/diagnose_question.hpp"
#include "diagnose/diagnose.hpp"
#include "diagnose/other_curves.hpp"
#include "diagnose/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/units.hpp"
#include "sim/formats/check.hpp"
#include "sim/formats/stand_in_preset.hpp"
#include "sim/predict/ask.hpp"
#include "sim/predict/batch_at_scale.hpp"
#include "sim/predict/known_files.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>

namespace ddlsim {
namespace {

constexpr int not_normal = 3;

/// Takes the scenario out of the given files, where its content identifies it.
DiagnoseCommand with_scenario_apart(DiagnoseCommand command) {
  auto& logs = command.logs;
  const auto scenario = std::find_if(logs.begin(), logs.end(), is_scenario);
  if (scenario == logs.end()) return command;
  command.scenario = *scenario;
  logs.erase(scenario);
  if (const auto second = std::find_if(logs.begin(), logs.end(), is_scenario); second != logs.end())
    throw UserError(second->string(), "", "this is a second scenario; give one, and the logs of its question");
  return command;
}

/// For a command without a scenario, refuses `--set` without a cluster, and a question without a measured time.
void check_enough(const DiagnoseCommand& command) {
  if (!command.scenario.empty()) return;
  if (!command.changes.empty() && command.cluster.empty())
    throw UserError("--set", "", "changes a scenario, and none is given; give one, or leave --set out");
  if (command.logs.empty() && command.steps.empty())
    throw UserError("", "", "no measured time found; give a log, a table of rates or --step");
}

/// The question and everything that it names.
struct DiagnosisQuestion {
  Scenario scenario;
  Cluster cluster;
  DataFolder data;
  std::vector<MeasurementFile> files;
};

/// Sets the GPUs per node that the runs used, and the ports that these reach.
void place_as_logged(DiagnosisQuestion& question, const CommandLine& line) {
  auto& scenario = question.scenario;
  const int taken = gpus_taken_of_node(question.files, scenario, question.cluster);
  if (taken >= question.cluster.gpus_per_node || taken == scenario.gpus_per_node) return;
  scenario.gpus_per_node = taken;
  question.cluster = with_ports_of(std::move(question.cluster), taken);
  narrate(line, fmt::format("the runs had {} of the {} GPUs of a node, and are taken to have had that share of its "
                            "network ports",
                            taken, question.cluster.gpus_per_node));
}

DiagnosisQuestion with_scenario(const DiagnoseCommand& command, const CommandLine& line) {
  DiagnosisQuestion question;
  question.scenario = read_asked_scenario(command.scenario, command.changes, command.sequence, line);
  keep_strategies(question.scenario, command.strategies);
  question.data = data_for(line, question.scenario);
  question.scenario =
      scenario_at(question.scenario, load_model(question.data, question.scenario.model), question.scenario.gpus.back());
  question.cluster = load_cluster(question.data, question.scenario.cluster);
  const auto with = scenario_with_preset_of(question.scenario, question.scenario.strategies.front());
  const auto presets = load_presets(question.data);
  std::shared_ptr<const Preset> stand_in;
  const auto& preset = preset_or_stand_in(presets, with.preset, stand_in);
  const auto transport = choose_transport(with, question.cluster, preset).name;
  question.files = read_logs(command, log_context_of(question.scenario, transport), question.data, line);
  return question;
}

DiagnosisQuestion without_scenario(const DiagnoseCommand& command, const CommandLine& line) {
  auto reading = log_context_of(command);
  if (reading.cluster.empty()) reading.cluster = name_of_made_cluster;
  auto files = read_logs(command, reading, DataFolder{line.data_folder}, line);
  auto made = question_from(command, files, line);
  return {std::move(made.scenario), std::move(made.cluster), std::move(made.data), std::move(files)};
}

/// Removes the training part for logs of collectives. These need no compute rate, which may not be known.
void leave_training_out(const DiagnoseCommand& command, DiagnosisQuestion& question) {
  bool trains = !command.steps.empty();
  for (const auto& file : question.files)
    for (const auto& record : file.records) trains = trains || std::holds_alternative<StepRecord>(record);
  if (!trains) question.scenario.one_gpu = StatedRate{1};
}

Diagnosis diagnosis_of(const DiagnoseCommand& command, const CommandLine& line) {
  auto question = command.scenario.empty() ? without_scenario(command, line) : with_scenario(command, line);
  place_as_logged(question, line);
  leave_training_out(command, question);
  const auto& scenario = question.scenario;
  const KnownFiles known(scenario, question.cluster, question.data);
  auto curve = make_curve(scenario, scenario.strategies.front(), known.model(), known.knowledge());
  curve.has_run = true;
  curve.threads = line.threads;
  const auto observations = observations_of(question.files, command, scenario, question.cluster, line);
  if (observations.empty() && !question.files.empty())
    throw UserError(command.logs.front().string(), "",
                    "nothing in it can be compared with what was asked; the notes above say what was read");
  const OtherClusters others(scenario, curve, question.data);
  auto diagnosis = diagnose(curve, observations, {command.level, scenario.seed}, others.curves());
  diagnosis.warnings = known.warnings();
  diagnosis.warnings.insert(diagnosis.warnings.begin(), scenario.name_notes.begin(), scenario.name_notes.end());
  return diagnosis;
}

std::string text_of(const Diagnosis& diagnosis, const DiagnoseCommand& command, const CommandLine& line) {
  if (line.json) return to_json_text(diagnosis);
  return command.details ? to_details_text(diagnosis) : to_screen_text(diagnosis);
}

double seconds_of(const std::string& text) {
  if (text.empty()) return 0;
  try {
    return parse_quantity(text, Dimension::time);
  } catch (const UserError& error) {
    throw UserError("--for", "", error.mistakes().front().what);
  }
}

Diagnosis follow_logs(const DiagnoseCommand& command, const CommandLine& line) {
  FollowOptions options;
  options.files = command.logs;
  options.for_s = seconds_of(command.follow_for);
  auto reading = line; // prints the notes on a log only once
  options.diagnose = [&command, reading]() mutable {
    auto diagnosis = diagnosis_of(command, reading);
    reading.quiet = true;
    return diagnosis;
  };
  options.on_change = [&](const Diagnosis& diagnosis) {
    emit(line, text_of(diagnosis, command, line));
    std::fflush(stdout);
  };
  options.on_wait = [&](const std::string& why) { narrate(line, "waiting: " + why); };
  return follow(options);
}

} // namespace

int run_diagnose(const DiagnoseCommand& typed, const CommandLine& line) {
  const auto command = with_known_names(with_scenario_apart(typed), DataFolder{line.data_folder});
  check_enough(command);
  const auto diagnosis = command.follow ? follow_logs(command, line) : diagnosis_of(command, line);
  for (const auto& warning : diagnosis.warnings) narrate(line, warning);
  write_picture(line, command.picture, [&] { return diagnosis_picture(diagnosis); });
  if (!command.follow) emit(line, text_of(diagnosis, command, line));
  return diagnosis.verdict == Verdict::not_normal ? not_normal : 0;
}

} // namespace ddlsim
