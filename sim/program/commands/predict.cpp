#include "sim/answer/predict.hpp"

#include "sim/answer/report.hpp"
#include "sim/program/commands.hpp"
#include "sim/program/narration.hpp"

#include <algorithm>

namespace ddlsim {

int run_predict(const PredictCommand& command, const CommandLine& line) {
  Scenario scenario = read_scenario(command.scenario);
  if (!command.cluster.empty()) scenario.cluster = command.cluster;
  if (!command.gpus.empty()) scenario.gpus = command.gpus;
  std::sort(scenario.gpus.begin(), scenario.gpus.end());
  scenario.gpus.erase(std::unique(scenario.gpus.begin(), scenario.gpus.end()), scenario.gpus.end());
  const auto prediction = [&] {
    const PredictOptions options{command.fidelity, make_progress(line.quiet)};
    return predict(scenario, DataFolder{line.data_folder}, options);
  }();
  emit(line, line.json ? to_json_text(prediction) : to_terminal_text(prediction));
  return 0;
}

} // namespace ddlsim
