#include "cli/command.hpp"
#include "cli/config_model.hpp"
#include "sim/base/error.hpp"
#include "sim/base/text_file.hpp"
#include "sim/base/units.hpp"
#include "sim/export/export.hpp"
#include "sim/formats/check.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/collectives.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "viewer/answers/pictures.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

constexpr int nothing_possible = 3; ///< exit code of an answer that no scale is possible

/// Writes the trace of the first strategy that is possible at some scale, at the largest such scale.
class Tracer {
public:
  explicit Tracer(const PredictCommand& command) : command_(command) {}

  void take(const Curve& curve, const StrategyAnswer& answer, const std::string& scenario) {
    if (!text_.empty()) return;
    const PredictedPoint* largest = nullptr;
    for (const PredictedPoint& point : answer.points) {
      if (point.error.empty()) largest = &point;
      if (!point.error.empty()) refusal_ = point.error;
    }
    if (largest == nullptr) return;
    auto setup = at_scale(curve, largest->gpus);
    setup.strategy = strategy_taken(setup, curve.median); // this also sets what the strategy leaves open
    const auto run = likeliest_run(curve, largest->gpus, command_.fidelity);
    text_ = chrome_trace(scenario, {setup, *largest, run});
    what_ = fmt::format("{} at {} GPUs", label_of(answer.strategy), largest->gpus);
  }

  void write(const CommandLine& line) const {
    if (text_.empty()) throw UserError("--trace", "", "no point of the scenario can be: " + refusal_);
    write_file(command_.trace, text_);
    narrate(line, fmt::format("wrote {}: {}", command_.trace.string(), what_));
  }

private:
  const PredictCommand& command_;
  std::string text_;
  std::string what_;
  std::string refusal_;
};

std::string to_output(const Prediction& prediction, const PredictCommand& command, const CommandLine& line) {
  if (line.json) return to_json_text(prediction);
  if (command.csv) return to_csv_text(prediction);
  if (!command.form.empty()) return to_allocation_text(prediction);
  if (command.markdown) return to_markdown_text(prediction);
  return command.details || command.why ? to_terminal_text(prediction) : to_screen_text(prediction);
}

std::vector<double> sizes_of(const std::vector<std::string>& texts) {
  if (texts.empty()) return usual_collective_sizes();
  std::vector<double> sizes_bytes;
  for (const auto& text : texts) {
    try {
      sizes_bytes.push_back(parse_quantity(text, Dimension::size));
    } catch (const UserError& error) {
      throw UserError("--sizes", "", error.mistakes().front().what);
    }
  }
  std::sort(sizes_bytes.begin(), sizes_bytes.end());
  return sizes_bytes;
}

int run_collective(const PredictCommand& command, const CommandLine& line) {
  Scenario scenario = read_asked_scenario(command.scenarios.front(), command.changes, command.sequence, line);
  keep_strategies(scenario, command.strategies);
  for (const auto& note : scenario.name_notes) narrate(line, note);
  const auto prediction = predict_collectives(scenario, sizes_of(command.sizes), data_for(line, scenario));
  for (const auto& warning : prediction.warnings) narrate(line, warning);
  if (line.json) {
    emit(line, to_json_text(prediction));
  } else {
    emit(line, command.csv ? to_csv_text(prediction) : to_terminal_text(prediction));
  }
  return 0;
}

} // namespace

std::string strategy_as_known(const std::string& typed) {
  const auto meant = value_meant<StrategyName>(typed);
  return meant ? to_text(*meant) : typed;
}

void keep_strategies(Scenario& scenario, const std::vector<std::string>& names) {
  std::vector<std::string> there;
  for (const auto& strategy : scenario.strategies) there.push_back(to_text(strategy.name));
  for (const auto& name : names) {
    if (is_in(there, strategy_as_known(name))) continue;
    const auto nearest = nearest_name(name, there);
    throw UserError("--strategy", "",
                    fmt::format("the scenario has no strategy {}; {}it has {}. Add one with --set /strategies='[...]'",
                                in_quotes(name), nearest.empty() ? "" : "did you mean " + nearest + "? ",
                                join_names(there)));
  }
  if (names.empty()) return;
  std::erase_if(scenario.strategies, [&](const Strategy& strategy) {
    return std::none_of(names.begin(), names.end(),
                        [&](const auto& name) { return strategy_as_known(name) == to_text(strategy.name); });
  });
}

Prediction predict_scenario(const SweepCase& one, const PredictCommand& command, const CommandLine& line,
                            const PredictOptions& options) {
  Scenario scenario = read_asked_scenario(one.scenario, one.changes, command.sequence, line);
  keep_strategies(scenario, command.strategies);
  auto prediction = predict(scenario, data_for(line, scenario), options);
  const auto& notes = scenario.name_notes;
  prediction.warnings.insert(prediction.warnings.begin(), notes.begin(), notes.end());
  return prediction;
}

int run_predict(const PredictCommand& command, const CommandLine& line) {
  if (!command.collective.empty()) return run_collective(command, line);
  if (is_sweep(command)) return run_sweep(command, line);
  const SweepCase only{command.scenarios.front(), command.changes, ""};
  PredictOptions options{command.fidelity, make_stage_progress(line.quiet)};
  options.threads = line.threads;
  options.why = command.why;
  Tracer tracer(command);
  const auto name = only.scenario.stem().string();
  if (!command.trace.empty())
    options.answered = [&](const Curve& curve, const StrategyAnswer& answer) { tracer.take(curve, answer, name); };
  const auto prediction = predict_scenario(only, command, line, options);
  for (const auto& warning : prediction.warnings) narrate(line, warning);
  if (!command.trace.empty()) tracer.write(line);
  write_picture(line, command.picture, [&] { return prediction_picture(prediction); });
  emit(line, to_output(prediction, command, line));
  return recommended_answer(prediction) == nullptr ? nothing_possible : 0;
}

} // namespace ddlsim
