#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "cli/plan_words.hpp"
#include "cli/task_runner.hpp"
#include "own/node_prices.hpp"
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/base/error.hpp"
#include "sim/base/threads.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <functional>
#include <system_error>

namespace ddlsim {
namespace {

std::string to_output(const Plan& plan, const PlanCommand& command, const CommandLine& line) {
  if (line.json) return to_json_text(plan);
  if (command.csv) return to_csv_text(plan);
  if (command.markdown) return to_markdown_text(plan);
  return command.details ? to_terminal_text(plan) : to_screen_text(plan);
}

/// Sets the model that the command names, and makes the table of one that is a config.
void set_model(nlohmann::json& request, const PlanCommand& command, const CommandLine& line) {
  if (!request.is_object() || !request.contains("workload") || !request["workload"].is_object()) return;
  if (!command.model.empty()) request["workload"]["model"] = command.model;
  std::vector<std::string> notes;
  make_table_of_model(request, command.request, command.sequence, line, notes);
  for (const auto& note : notes) narrate(line, note);
}

/// Throws UserError where the question is in words and nobody says on which machines.
void check_machines_named(const PlanCommand& command) {
  const auto& words = command.words;
  std::error_code ignored;
  const bool is_file = command.request.extension() == ".json" || std::filesystem::exists(command.request, ignored);
  const bool are_limits_stated =
      !words.deadline.empty() || !words.budget.empty() || !words.power.empty() || words.chance != 0;
  const bool is_workload_stated = !words.tokens.empty() || !words.samples.empty() || words.epochs != 0 ||
                                  words.global_batch != 0 || words.batch_per_gpu != 0 || !words.precision.empty() ||
                                  !words.preset.empty() || !words.gpus.empty();
  if (is_file && !are_limits_stated && !is_workload_stated) return;
  throw UserError("--on", "",
                  fmt::format("missing; it names the machines on which {} may be trained, like --on p5,p6-b200 or --on "
                              "\"64 x 8 x H100, 8x400 Gb/s IB\" (`ddlsim list clusters`); without it a request's file "
                              "is asked, whose limits --set changes",
                              command.request.string()));
}

/// The command with the file of its request, which is made where the request is in words.
PlanCommand with_request(PlanCommand command, const CommandLine& line) {
  if (command.words.machines.empty()) {
    check_machines_named(command);
    return command;
  }
  command.words.model = command.model.empty() ? command.request.string() : command.model;
  command.model.clear();
  command.request = kept_request(command.words, command.sequence, line);
  command.words.prices.clear(); // the request has them
  return command;
}

PlanRequest request_of(const PlanCommand& command, const std::function<void(nlohmann::json&)>& edit) {
  if (command.words.machines.empty()) return read_plan_request(command.request, command.changes, edit);
  try {
    return read_plan_request(command.request, command.changes, edit);
  } catch (const UserError& error) {
    throw under_options(error);
  }
}

} // namespace

int run_plan(const PlanCommand& asked, const CommandLine& line) {
  const auto command = with_request(asked, line);
  DataFolder data = fitted_data(line);
  const auto spell = [&](nlohmann::json& document) {
    set_model(document, command, line);
    for (const auto& note : spell_as_known(document, data)) narrate(line, note);
    data = take_own_files(document, command.request, data);
    set_prices(document, command.words.prices);
  };
  const auto request = request_of(command, spell);
  const auto plan = make_plan(request, data, task_runner(line, "options"), threads_of_each(line.threads, 1));
  const bool is_screen = !command.details && !command.csv && !command.markdown && !line.json;
  for (const auto& warning : is_screen ? plan.warnings : all_warnings(plan)) narrate(line, warning);
  write_picture(line, command.picture, [&] { return plan_picture(plan); });
  emit(line, to_output(plan, command, line));
  constexpr int answer_is_no = 3;
  return plan.limits_met ? 0 : answer_is_no;
}

} // namespace ddlsim
