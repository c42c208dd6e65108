#include "cli/command.hpp"
#include "cli/task_pool.hpp"
#include "plan/page/plan_html.hpp"
#include "plan/plan.hpp"
#include "plan/report.hpp"
#include "sim/formats/known_spelling.hpp"
#include "sim/formats/own_files.hpp"

#include <nlohmann/json.hpp>

namespace ddlsim {
namespace {

std::string to_output(const Plan& plan, const PlanCommand& command, const CommandLine& line) {
  if (line.json) return to_json_text(plan);
  if (command.csv) return to_csv_text(plan);
  return command.markdown ? to_markdown_text(plan) : to_terminal_text(plan);
}

} // namespace

int run_plan(const PlanCommand& command, const CommandLine& line) {
  DataFolder data = fitted_data(line);
  const auto spell = [&](nlohmann::json& document) {
    for (const auto& note : spell_as_known(document, data)) narrate(line, note);
    data = take_own_files(document, command.request, data);
  };
  const auto request = read_plan_request(command.request, command.changes, spell);
  TaskPool tasks(line, "options", {command.request});
  const auto plan = make_plan(request, data, tasks.runner());
  for (const auto& warning : plan.warnings) narrate(line, warning);
  write_page(line, command.html, [&] { return plan_html(plan); });
  emit(line, to_output(plan, command, line));
  tasks.discard_journal();
  return 0;
}

} // namespace ddlsim
