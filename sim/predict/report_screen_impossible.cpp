#include "sim/predict/report_screen_impossible.hpp"

#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <vector>

namespace ddlsim {
namespace {

/// The option that asks what would work, where no strategy asked shards a model that one GPU cannot hold.
std::string what_to_try(const Prediction& prediction) {
  const auto shards = [](const StrategyAnswer& answer) {
    return is_sharded(answer.strategy.name) || is_model_parallel(answer.strategy.name);
  };
  const auto& all = prediction.strategies;
  if (!prediction.machine.needs_shards || std::any_of(all.begin(), all.end(), shards)) return "";
  const auto* strategy = prediction.machine.attends ? R"({"name": "model-parallel", "layout": "best"})"
                                                    : R"({"name": "fsdp", "preset": "pytorch-fsdp2"})";
  return fmt::format("Try: --set '/strategies/0={}'\n", strategy); // one line, to be copied
}

} // namespace

std::string impossible_screen(const Prediction& prediction) {
  const auto screen = screen_sentences(prediction);
  auto text = to_lines(screen.question, screen_columns) + "\n" + to_lines(screen.verdict, screen_columns) + "\n";
  constexpr std::size_t lines_each = 3;
  std::vector<std::string> told;
  for (const auto& answer : prediction.strategies)
    for (const auto& point : answer.points) {
      if (std::find(told.begin(), told.end(), point.error) != told.end()) continue;
      told.push_back(point.error);
      if (static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + lines_each + 1 >= screen_lines)
        continue;
      text += screen_text(fmt::format("{}, {} GPU{}: {}.", label_of(answer.strategy), with_commas(point.gpus),
                                      point.gpus == 1 ? "" : "s", point.error),
                          lines_each);
    }
  return text + what_to_try(prediction) + "More: --details (every way and scale), --json.\n";
}

} // namespace ddlsim
