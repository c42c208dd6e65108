#include "sim/base/escape.hpp"
#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/predict/asked_machine.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

#include <string>
#include <vector>

namespace ddlsim {
namespace {

constexpr double seconds_an_hour = 3600;

std::string row_of_cells(const std::vector<std::string>& cells) {
  std::string row = "|";
  for (const auto& cell : cells) row += " " + cell + " |";
  return row + "\n";
}

std::string head_of_cells(const std::vector<std::string>& cells) {
  std::string text = row_of_cells(cells) + "|";
  for (std::size_t i = 0; i < cells.size(); ++i) text += "---|";
  return text + "\n";
}

/// The amount of training to which GPU-hours refer: a billion tokens, or a million samples.
struct Amount {
  std::string words;
  double samples = 0;
};

Amount amount_of(const AskedMachine& machine) {
  constexpr double billion = 1e9;
  constexpr double million = 1e6;
  if (machine.tokens_per_sample > 0) return {"a billion tokens", billion / machine.tokens_per_sample};
  return {"a million " + machine.unit, million};
}

std::string asked_section(const Prediction& prediction, const StrategyAnswer& answer) {
  const auto& scenario = prediction.scenario;
  const auto& machine = prediction.machine;
  std::string text = "## What is asked for\n\n" + head_of_cells({"", ""});
  const auto add = [&](const std::string& name, const std::string& value) { text += row_of_cells({name, value}); };
  add("model", scenario.model);
  if (machine.tokens_per_sample > 0) add("sequence", with_commas(machine.tokens_per_sample) + " tokens");
  add("batch", scenario.batch_per_gpu > 0 ? fmt::format("{:g} {} a GPU", scenario.batch_per_gpu, machine.unit)
                                          : batch_text(scenario));
  add("precision", to_text(scenario.precision));
  add("cluster", scenario.cluster);
  add("node", machine.node + (machine.network.empty() ? "" : ", " + machine.network));
  add("software", fmt::format("{}, {}", answer.preset, strategy_in_words(answer)));
  add("GPUs", fmt::format("{} of {}", with_commas(gpus_at_hand(prediction)), with_commas(prediction.available_gpus)));
  return text + "\n";
}

std::string scaling_section(const Prediction& prediction, const StrategyAnswer& answer) {
  const auto amount = amount_of(prediction.machine);
  const bool tokens = prediction.machine.tokens_per_sample > 0;
  const double each = tokens ? prediction.machine.tokens_per_sample : 1;
  std::vector<std::string> head{"GPUs", "nodes", (tokens ? "tokens" : prediction.machine.unit) + "/s (90 %)",
                                "efficiency"};
  if (tokens) head.insert(head.end(), {"MFU", "MFU, causal"});
  head.insert(head.end(), {"memory of a GPU", "GPU-hours for " + amount.words + " (90 %)", "evidence"});
  std::string text = "## Scaling\n\n" + head_of_cells(head);
  for (const auto& point : answer.points) {
    std::vector<std::string> cells{with_commas(point.gpus), with_commas(point.nodes)};
    if (!point.error.empty()) {
      cells.push_back("cannot be: " + point.error);
      cells.resize(head.size());
      text += row_of_cells(cells);
      continue;
    }
    const auto hours = [&](double samples_per_s) {
      return plain_number(point.gpus * amount.samples / samples_per_s / seconds_an_hour);
    };
    cells.push_back(fmt::format("{} ({})", plain_number(each * point.samples_per_s),
                                plain_range(each * point.samples_per_s_low, each * point.samples_per_s_high)));
    cells.push_back(plain_percent(point.efficiency));
    if (tokens) {
      cells.push_back(plain_percent(point.flop_utilisation));
      cells.push_back(plain_percent(point.flop_utilisation_causal));
    }
    cells.push_back(peak_memory_text(point));
    cells.push_back(fmt::format("{} ({} to {})", hours(point.samples_per_s), hours(point.samples_per_s_high),
                                hours(point.samples_per_s_low)));
    cells.push_back(evidence_text(point));
    text += row_of_cells(cells);
  }
  return text + "\n";
}

std::string sources_section(const Prediction& prediction, const StrategyAnswer& answer) {
  std::string text = fmt::format("## Sources\n\n- One GPU: {}.\n", answer.one_gpu.text);
  for (const auto& warning : prediction.warnings) text += "- Note: " + warning + ".\n";
  for (const auto& file : prediction.files) text += fmt::format("- {} ({})\n", file.name, file.fnv1a);
  return text + fmt::format("- ddlsim {}, SimGrid {}, {} samples of seed {}\n", version(), simgrid_version(),
                            prediction.scenario.samples, prediction.scenario.seed);
}

} // namespace

std::string to_allocation_text(const Prediction& prediction) {
  const auto sentences = screen_sentences(prediction);
  const auto* answer = recommended_answer(prediction);
  auto text =
      fmt::format("# Request for allocation: {} on {}\n\n", prediction.scenario.model, prediction.scenario.cluster);
  if (answer == nullptr) return without_tags(text + sentences.verdict + "\n");
  text += sentences.verdict + "\n\n" + asked_section(prediction, *answer) + scaling_section(prediction, *answer);
  text += "## How sure\n\n";
  const auto ways = sentences.other_ways.empty() ? "" : " " + sentences.other_ways;
  for (const auto& sentence :
       {sentences.time_goes, sentences.table_assumes + ways, sentences.how_sure, sentences.measure_next})
    text += sentence + "\n\n";
  return without_tags(text + sources_section(prediction, *answer));
}

} // namespace ddlsim
