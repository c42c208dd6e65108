#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/export/export.hpp"
#include "sim/predict/batch_at_scale.hpp"
#include "sim/predict/known_files.hpp"

#include <fmt/format.h>

namespace ddlsim {
namespace {

/// Writes a file for each role. Throws if one cannot be written.
void write_chakra(const Curve& curve, int gpus, const CommandLine& line) {
  auto setup = at_scale(curve, gpus);
  setup.strategy = strategy_taken(setup, curve.median); // this also sets what the strategy leaves open
  for (const auto& [role, content] : chakra_traces(setup, likeliest_run(curve, gpus, Fidelity::by_default))) {
    const std::string file = fmt::format("{}.{}.et", line.output.string(), role);
    write_file(file, content);
    narrate(line, fmt::format("wrote {}", file));
  }
}

} // namespace

int run_export(const ExportCommand& command, const CommandLine& line) {
  Scenario scenario = read_asked_scenario(command.scenario, command.changes, command.sequence, line);
  keep_strategies(scenario, command.strategies);
  const KnownFiles files(scenario, data_for(line, scenario));
  scenario = scenario_at(scenario, files.model(), scenario.gpus.back());
  const auto& strategy = scenario.strategies.front();
  const auto curve = make_curve(scenario, strategy, files.model(), files.knowledge());
  const int gpus = scenario.gpus.back();
  if (const auto why = why_impossible(curve, gpus); !why.empty()) throw UserError("--gpus", "", why);
  for (const auto& note : scenario.name_notes) narrate(line, note);
  for (const auto& warning : files.warnings()) narrate(line, warning);
  if (command.format == ExportFormat::chakra) write_chakra(curve, gpus, line);
  if (command.format == ExportFormat::simgrid) emit(line, simgrid_platform(at_scale(curve, gpus), curve.median));
  narrate(line, fmt::format("{} at {} GPUs", label_of(strategy), gpus));
  return 0;
}

} // namespace ddlsim
