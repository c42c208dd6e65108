#include "cli/commands.hpp"
#include "sim/base/error.hpp"
#include "sim/base/names.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// Keeps the strategies with one of these names; a name that the scenario lacks is an error.
void keep_strategies(Scenario& scenario, const std::vector<std::string>& names) {
  std::vector<std::string> there;
  for (const auto& strategy : scenario.strategies) there.push_back(to_text(strategy.name));
  for (const auto& name : names) {
    if (std::find(there.begin(), there.end(), name) != there.end()) continue;
    throw UserError("--strategy", "",
                    fmt::format("the scenario has no strategy {}; it has {}. Add one with --set /strategies='[...]'",
                                in_quotes(name), join_names(there)));
  }
  if (names.empty()) return;
  std::erase_if(scenario.strategies, [&](const Strategy& strategy) {
    return std::find(names.begin(), names.end(), to_text(strategy.name)) == names.end();
  });
}

std::string to_output(const Prediction& prediction, const PredictCommand& command, const CommandLine& line) {
  if (line.json) return to_json_text(prediction);
  return command.csv ? to_csv_text(prediction) : to_terminal_text(prediction);
}

} // namespace

Prediction predict_scenario(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                            const PredictOptions& options) {
  Scenario scenario = read_scenario(one.scenario, one.changes);
  keep_strategies(scenario, command.strategies);
  return predict(scenario, DataFolder{line.data_folder}, options);
}

int run_predict(const PredictCommand& command, const CommandLine& line) {
  if (command.scenarios.size() > 1 || !command.axes.empty()) return run_sweep(command, line);
  const SweepCase only{command.scenarios.front(), command.changes, ""};
  const auto prediction = predict_scenario(only, command, line, {command.fidelity, make_progress(line.quiet)});
  for (const auto& warning : prediction.warnings) narrate(line, warning);
  emit(line, to_output(prediction, command, line));
  return 0;
}

} // namespace ddlsim
