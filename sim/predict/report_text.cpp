#include "sim/base/error.hpp"
#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/predict/predict.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace ddlsim {
namespace {

std::string hosts_text(const PredictedPoint& point) {
  return point.server_nodes > 0 ? fmt::format("{}+{}", point.nodes, point.server_nodes)
                                : fmt::format("{}", point.nodes);
}

/// The cells of one figure, point by point. A cell is empty where the point is an error.
template <class Figure> std::vector<std::string> to_cells(const StrategyAnswer& answer, const Figure& figure) {
  std::vector<IntervalText> intervals;
  intervals.reserve(answer.points.size());
  for (const auto& point : answer.points) intervals.push_back(point.error.empty() ? figure(point) : IntervalText{});
  return align_intervals(intervals);
}

bool has_neighbours(const StrategyAnswer& answer) {
  return std::any_of(answer.points.begin(), answer.points.end(),
                     [](const PredictedPoint& point) { return point.alone.has_value(); });
}

bool has_measured(const StrategyAnswer& answer) {
  return std::any_of(answer.points.begin(), answer.points.end(),
                     [](const PredictedPoint& point) { return point.measured.has_value(); });
}

/// Returns the measured time and where it is relative to the interval beside it, as in "412.0 ms, inside"; "412.0 ms?,
/// slower" when the records are suspect.
std::string measured_text(const PredictedPoint& point) {
  if (!point.measured) return "";
  return fmt::format("{}{}, {}", seconds_text(point.measured->iteration_s), point.measured->suspect ? "?" : "",
                     to_text(position_in(point, *point.measured)));
}

std::string to_point_table(const StrategyAnswer& answer) {
  const auto times = to_cells(answer, [](const PredictedPoint& point) {
    return seconds_interval(point.iteration_s, point.iteration_s_low, point.iteration_s_high);
  });
  const auto rates = to_cells(answer, [](const PredictedPoint& point) {
    return rate_interval(point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high);
  });
  const auto shares = to_cells(answer, [](const PredictedPoint& point) {
    return percent_interval(point.efficiency, point.efficiency_low, point.efficiency_high);
  });
  const auto alone = to_cells(answer, [](const PredictedPoint& point) {
    return point.alone ? seconds_interval(point.alone->s, point.alone->s_low, point.alone->s_high) : IntervalText{};
  });
  std::vector<std::vector<std::string>> rows;
  std::vector<Column> columns{{"GPUs"},
                              {"nodes"},
                              {"iteration (90 %)", Align::left},
                              {"samples/s (90 %)", Align::left},
                              {"efficiency (90 %)", Align::left},
                              {"evidence", Align::left}};
  if (has_neighbours(answer)) columns.insert(columns.begin() + 3, {"without neighbours (90 %)", Align::left});
  const std::size_t after_time = has_neighbours(answer) ? 4 : 3;
  const bool measured = has_measured(answer);
  if (measured) columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(after_time), {"measured", Align::left});
  for (std::size_t i = 0; i < answer.points.size(); ++i) {
    const auto& point = answer.points[i];
    rows.push_back({fmt::format("{}", point.gpus), hosts_text(point), "-"});
    if (!point.error.empty()) continue;
    rows.back() = {rows.back()[0], rows.back()[1], times[i], rates[i], shares[i], evidence_text(point)};
    if (has_neighbours(answer)) rows.back().insert(rows.back().begin() + 3, alone[i]);
    if (measured)
      rows.back().insert(rows.back().begin() + static_cast<std::ptrdiff_t>(after_time), measured_text(point));
  }
  return to_table(columns, rows);
}

/// A table of the parts of the iterations; "" when no point is possible.
std::string where_the_time_goes(const StrategyAnswer& answer) {
  const bool shares_links = has_neighbours(answer);
  const bool in_stages = is_model_parallel(answer.strategy.name);
  std::vector<std::vector<std::string>> rows;
  for (const auto& point : answer.points) {
    if (!point.error.empty()) continue;
    const auto& parts = point.parts;
    std::vector<double> parts_s{parts.compute_s,         parts.exposed_communication_s,
                                parts.synchronisation_s, parts.straggling_s,
                                parts.input_wait_s,      parts.unexplained_s};
    if (shares_links) parts_s.insert(parts_s.begin() + 4, parts.neighbours_s);
    if (in_stages) parts_s.insert(parts_s.begin() + 1, parts.bubble_s);
    rows.push_back({fmt::format("{}", point.gpus)});
    for (const double part_s : parts_s) rows.back().push_back(short_seconds_text(part_s));
    rows.back().push_back(point.bottleneck);
  }
  if (rows.empty()) return "";
  std::vector<Column> columns{{"GPUs"},         {"compute"}, {"+ exposed"},     {"+ synchronisation"},
                              {"+ straggling"}, {"+ input"}, {"+ unexplained"}, {"dominates", Align::left}};
  if (shares_links) columns.insert(columns.begin() + 5, {"+ neighbours"});
  if (in_stages) columns.insert(columns.begin() + 2, {"+ bubble"});
  return to_table(columns, rows);
}

/// The communication that SimGrid did not simulate exactly, and why. Each reason has a line, with its scales.
std::string formula_remarks(const StrategyAnswer& answer) {
  std::vector<std::pair<std::string, std::string>> reasons; // pairs of reason and scales, in order of first appearance
  for (const auto& point : answer.points) {
    if (point.fidelity_note.empty()) continue;
    const std::string& reason = point.fidelity_note;
    auto found = std::find_if(reasons.begin(), reasons.end(), [&](const auto& one) { return one.first == reason; });
    if (found == reasons.end()) found = reasons.insert(found, {reason, ""});
    found->second += fmt::format("{}{}", found->second.empty() ? "" : ", ", point.gpus);
  }
  std::string text;
  for (const auto& [reason, scales] : reasons)
    text += to_lines(fmt::format("Communication at {} GPUs is simplified, or by formula: {}.", scales, reason));
  return text;
}

/// Writes an end of an interval in GPUs; "none" when no scale of the strategy reaches the bound.
std::string scale_text(int gpus) {
  return gpus == 0 ? "none" : fmt::format("{}", gpus);
}

std::string largest_scale_sentence(const StrategyAnswer& answer, double bound) {
  const auto& largest_scale = answer.largest_scale;
  const std::string at_bound = percent_text(bound);
  if (answer.efficient_against_gpus > 1 && largest_scale.gpus > 0)
    return fmt::format(
        "A GPU does at least {} of what it does on {} GPUs up to {} GPUs (90 %: {} .. {}); what costs most "
        "there is {}.",
        at_bound, answer.efficient_against_gpus, largest_scale.gpus, scale_text(largest_scale.gpus_low),
        largest_scale.gpus_high, largest_scale.bottleneck);
  const std::string loss = largest_scale.bottleneck.empty() ? "one GPU loses nothing"
                                                            : "what costs most there is " + largest_scale.bottleneck;
  if (largest_scale.gpus == 0)
    return fmt::format("Efficiency is below {} at every scale of this strategy; {}.", at_bound, loss);
  if (largest_scale.beyond_growth) {
    return fmt::format("Efficiency stays at or above {} up to {} GPUs, the most {} (90 %: from {}); {}.", at_bound,
                       largest_scale.gpus,
                       seeks_best_layout(answer.strategy) ? "that were searched" : "this cluster may grow to",
                       scale_text(largest_scale.gpus_low), loss);
  }
  return fmt::format("Efficiency stays at or above {} up to {} GPUs (90 %: {} .. {}); {}.", at_bound,
                     largest_scale.gpus, scale_text(largest_scale.gpus_low), largest_scale.gpus_high, loss);
}

/// The plural name of the collective's operation.
std::string collectives_text(const std::string& collective) {
  if (collective == to_text({CollectiveOperation::reduce_scatter, Algorithm::ring})) return "reduce-scatters";
  return collective == to_text({CollectiveOperation::all_gather, Algorithm::ring}) ? "all-gathers" : "all-reduces";
}

std::string algorithm_text(const std::string& algorithm) {
  return collectives_text(algorithm) == "all-reduces" ? algorithm : to_text(Algorithm::ring);
}

/// Returns NCCL's settings that make a benchmark run in the same manner as the iteration; "" when the measurement is no
/// all-reduce.
std::string run_as_text(const MeasureNext& next) {
  if (next.protocol.empty()) return "";
  const char* name = "Ring";
  if (next.algorithm == to_text(Algorithm::tree)) name = "Tree";
  if (next.algorithm == to_text(Algorithm::nvls)) name = "NVLS,NVLSTree";
  if (next.algorithm == to_text(Algorithm::nvls_sharp)) name = "NVLS";
  if (next.algorithm == to_text(Algorithm::collnet)) name = "CollnetDirect,CollnetChain";
  return fmt::format(" What decides there are {} of {:.3g} MB by {} with {}: measure with NCCL_ALGO={} and "
                     "NCCL_PROTO={}.",
                     collectives_text(next.algorithm), next.all_reduce_bytes / 1e6, algorithm_text(next.algorithm),
                     next.protocol, name, next.protocol);
}

std::string measure_sentence(const MeasureNext& next) {
  return fmt::format(
      "Measure next: {} ({}). It would narrow the interval at {} GPUs from +-{:.0f} % to about +-{:.0f} %.{}",
      next.what, next.parameter, next.at_gpus, 100 * next.interval_now, 100 * next.interval_then, run_as_text(next));
}

/// The staleness of parameters; "" for strategies that wait for all workers.
std::string staleness_lines(const StrategyAnswer& answer) {
  std::string stale;
  for (const auto& point : answer.points) {
    if (point.mean_staleness > 0)
      stale += fmt::format("{}{:.3g} at {} GPUs", stale.empty() ? "" : ", ", point.mean_staleness, point.gpus);
  }
  return stale.empty() ? "" : to_lines("Updates by others between a worker's pull and its push: " + stale + ".");
}

/// The presets that the strategies run with, each once.
std::vector<std::string> presets_of(const Prediction& prediction) {
  std::vector<std::string> presets;
  for (const auto& answer : prediction.strategies)
    if (std::find(presets.begin(), presets.end(), answer.preset) == presets.end()) presets.push_back(answer.preset);
  return presets;
}

/// The rate of one GPU: a line, or a line for each preset where there are several.
std::string one_gpu_lines(const Prediction& prediction) {
  const auto& first = prediction.strategies.front().one_gpu;
  if (presets_of(prediction).size() == 1) return to_lines(fmt::format("{}: {}", to_text(first.evidence), first.text));
  std::vector<std::string> lines;
  for (const auto& answer : prediction.strategies) {
    const auto& own = answer.one_gpu;
    const auto line = fmt::format("{}, with {}: {}", to_text(own.evidence), answer.preset, own.text);
    if (std::find(lines.begin(), lines.end(), line) == lines.end()) lines.push_back(line);
  }
  std::string text;
  for (const auto& line : lines) text += to_lines(line);
  return text;
}

std::string note_lines(const StrategyAnswer& answer) {
  return answer.strategy.note.empty() ? "" : to_lines(answer.strategy.note);
}

/// The settings that the strategy leaves open; "" when there are none.
std::string left_open_sentence(const StrategyAnswer& answer) {
  if (answer.left_open.empty()) return "";
  return to_lines(fmt::format("The scenario leaves {} of this strategy open: what {} does is taken.",
                              join_names(answer.left_open), answer.preset));
}

/// Returns the algorithm and protocol, as in "ring with LL128", or the algorithm alone, as in "ring".
std::string algorithm_and_protocol(const PredictedPoint& point) {
  const auto algorithm = algorithm_text(point.algorithm);
  return point.protocol.empty() ? algorithm : algorithm + " with " + point.protocol;
}

/// Returns the kind of the largest collective at the first point that has one, as in "all-reduce"; "" without any.
std::string largest_collective(const StrategyAnswer& answer) {
  for (const auto& point : answer.points) {
    auto text = collectives_text(point.algorithm);
    text.pop_back();
    if (!point.algorithm.empty()) return text;
  }
  return "";
}

/// Returns a sentence on the library's choices by scale; "" when the strategy makes the choice. Neighbouring scales
/// with the same choice are joined.
std::string library_sentence(const StrategyAnswer& answer) {
  const bool library_decides = answer.strategy.name == StrategyName::automatic || is_sharded(answer.strategy.name) ||
                               is_model_parallel(answer.strategy.name);
  if (!library_decides || answer.library.empty()) return "";
  std::vector<std::string> runs;
  std::string run;
  int first = 0;
  int last = 0;
  const auto end_run = [&] {
    if (run.empty()) return;
    runs.push_back(first == last ? fmt::format("{} at {} GPUs", run, first)
                                 : fmt::format("{} at {} .. {} GPUs", run, first, last));
  };
  for (const auto& point : answer.points) {
    if (point.algorithm.empty() || point.gpus == 1) continue;
    if (algorithm_and_protocol(point) != run) {
      end_run();
      run = algorithm_and_protocol(point);
      first = point.gpus;
    }
    last = point.gpus;
  }
  end_run();
  if (runs.empty()) return "";
  return to_lines(fmt::format("The largest {} as {}{} runs it: {}.", largest_collective(answer), answer.library,
                              answer.library_stated ? "" : " (assumed)", join_names(runs)));
}

/// A table of figures by which transformers are compared; "" for models whose samples are not tokens.
std::string token_table(const StrategyAnswer& answer) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& point : answer.points) {
    if (!(point.tokens_per_s > 0)) continue;
    rows.push_back({fmt::format("{}", point.gpus), rate_interval(point.tokens_per_s, 0, 0).value,
                    rate_interval(point.tokens_per_s / point.gpus, 0, 0).value,
                    point.flop_utilisation > 0 ? percent_text(point.flop_utilisation) : "-",
                    point.flop_utilisation > 0 ? percent_text(point.flop_utilisation_causal) : "-",
                    peak_memory_text(point)});
  }
  if (rows.empty()) return "";
  return to_table({{"GPUs"}, {"tokens/s"}, {"a GPU"}, {"MFU"}, {"MFU, causal"}, {"peak memory a GPU"}}, rows);
}

std::string offload_lines(const StrategyAnswer& answer) {
  const auto sentence = offload_sentence(answer);
  return sentence.empty() ? "" : to_lines(sentence);
}

std::string to_section(const StrategyAnswer& answer, double bound, bool with_preset) {
  std::string text = fmt::format("{}{}{} over {}\n", to_text(shown_strategy(answer)),
                                 answer.library_stated ? " of " + answer.library : "",
                                 with_preset ? " with " + answer.preset : "", answer.transport) +
                     note_lines(answer) + left_open_sentence(answer) + to_point_table(answer);
  for (const auto& point : answer.points)
    if (!point.error.empty()) text += to_lines(fmt::format("{} GPUs cannot be: {}", point.gpus, point.error));
  text += token_table(answer) + memory_lines(answer) + library_sentence(answer) + where_the_time_goes(answer) +
          input_lines(answer) + offload_lines(answer) + layout_lines(answer) + server_lines(answer) +
          formula_remarks(answer) + staleness_lines(answer);
  if (answer.measure_next.parameter.empty()) return text;
  return text + to_lines(largest_scale_sentence(answer, bound)) + to_lines(measure_sentence(answer.measure_next));
}

/// The explanation of the answer; "" when it was not requested.
std::string why_lines(const StrategyAnswer& answer) {
  if (answer.why.empty()) return "";
  std::string text = fmt::format("Why, at {} GPUs:\n", answer.measure_next.at_gpus);
  for (std::size_t i = 0; i < answer.why.size(); ++i) text += to_lines(fmt::format("{}. {}", i + 1, answer.why[i]));
  return text;
}

char letter_of(std::size_t strategy) {
  return static_cast<char>('a' + strategy % 26);
}

std::string efficiency_chart(const Prediction& prediction) {
  std::vector<std::string> labels;
  for (const int gpus : prediction.scenario.gpus) labels.push_back(fmt::format("{}", gpus));
  std::vector<ChartLine> lines;
  std::string legend = "efficiency:";
  for (std::size_t i = 0; i < prediction.strategies.size(); ++i) {
    const auto& answer = prediction.strategies[i];
    lines.push_back({letter_of(i), {}});
    for (const auto& point : answer.points) lines.back().shares.push_back(point.error.empty() ? point.efficiency : -1);
    legend += fmt::format("{} {} = {}", i > 0 ? "," : "", letter_of(i), label_of(shown_strategy(answer)));
  }
  return to_lines(legend) + to_chart(labels, lines);
}

std::string placement_text(const NodePlacement& placement) {
  return placement.order == NodeOrder::listed ? "on listed nodes" : to_text(placement.order);
}

/// A sentence on the placement of the job and on other traffic on its fabric; "" for a job on nodes in order without
/// other traffic.
std::string co_location_sentence(const CoLocation& co_location) {
  if (co_location == CoLocation{}) return "";
  std::string text = "The job is " + placement_text(co_location.placement);
  for (const auto& neighbour : co_location.neighbours)
    text += fmt::format("; beside it {}: {} nodes, {}, {} of compute and {} all-reduced an iteration{}", neighbour.name,
                        neighbour.nodes, placement_text(neighbour.placement),
                        print_quantity(neighbour.compute_s, Dimension::time),
                        print_quantity(neighbour.all_reduce_bytes, Dimension::size),
                        neighbour.algorithm == Algorithm::ring ? "" : " by " + to_text(neighbour.algorithm));
  if (co_location.background_traffic > 0)
    text += fmt::format("; other traffic takes {} of every link between switches",
                        percent_text(co_location.background_traffic));
  return to_lines(text + ".");
}

} // namespace

std::string largest_scale_text(const StrategyAnswer& answer, double bound) {
  return largest_scale_sentence(answer, bound);
}

std::string measure_next_text(const MeasureNext& next) {
  return measure_sentence(next);
}

std::string measured_here_text(const PredictedPoint& point) {
  return measured_text(point);
}

std::string to_terminal_text(const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  std::string text =
      to_lines(fmt::format("{}: {} at {}, {}, {} with {} ({} GPUs available, growth to {})", scenario.name,
                           scenario.model, batch_text(scenario), to_text(scenario.precision), scenario.cluster,
                           join_names(presets_of(prediction)), prediction.available_gpus, prediction.growth_gpus));
  for (const auto& sentence : answer_sentences(prediction)) text += to_lines(sentence);
  text += co_location_sentence(scenario.co_location) + one_gpu_lines(prediction);
  for (const auto& warning : prediction.warnings) text += to_lines("Note: " + warning + ".");
  for (const auto& answer : prediction.strategies)
    text += "\n" + to_section(answer, scenario.efficiency_bound, presets_of(prediction).size() > 1) + why_lines(answer);
  return text + "\n" + efficiency_chart(prediction);
}

} // namespace ddlsim
