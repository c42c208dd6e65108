#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "cli/plan_words.hpp"
#include "cli/task_runner.hpp"
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/base/threads.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"
#include "viewer/answers/pictures.hpp"

#include <nlohmann/json.hpp>

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

} // namespace

namespace {

/// The command with the file of its request, which is made where the request is in words.
PlanCommand with_request(PlanCommand command, const CommandLine& line) {
  if (command.words.machines.empty()) return command;
  command.words.model = command.model.empty() ? command.request.string() : command.model;
  command.model.clear();
  command.request = kept_request(command.words, command.sequence, line);
  return command;
}

} // namespace

int run_plan(const PlanCommand& asked, const CommandLine& line) {
  const auto command = with_request(asked, line);
  DataFolder data = fitted_data(line);
  const auto spell = [&](nlohmann::json& document) {
    set_model(document, command, line);
    for (const auto& note : spell_as_known(document, data)) narrate(line, note);
    data = take_own_files(document, command.request, data);
  };
  const auto request = read_plan_request(command.request, command.changes, spell);
  const auto plan = make_plan(request, data, task_runner(line, "options"), threads_of_each(line.threads, 1));
  for (const auto& warning : plan.warnings) narrate(line, warning);
  write_picture(line, command.picture, [&] { return plan_picture(plan); });
  emit(line, to_output(plan, command, line));
  constexpr int answer_is_no = 3;
  return plan.limits_met ? 0 : answer_is_no;
}

} // namespace ddlsim
