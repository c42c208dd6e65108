#include "sim/base/plain_number.hpp"
#include "sim/base/table.hpp"
#include "sim/iteration/memory_fit.hpp"
#include "sim/predict/asked_machine.hpp"
#include "sim/predict/at_hand.hpp"
#include "sim/predict/prediction_sentences.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"
#include "sim/predict/report_screen_impossible.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// What the first screen is about.
struct Shown {
  const Prediction& prediction;
  const StrategyAnswer& answer;
  const PredictedPoint& point; ///< at hand
};

bool counts_tokens(const Shown& shown) {
  return shown.prediction.machine.tokens_per_sample > 0;
}

std::string unit_of(const Shown& shown) {
  return counts_tokens(shown) ? "tokens" : shown.prediction.machine.unit;
}

/// Samples a second, or tokens a second, in the unit that is shown.
double in_shown_unit(const Shown& shown, double samples_per_s) {
  return counts_tokens(shown) ? samples_per_s * shown.prediction.machine.tokens_per_sample : samples_per_s;
}

std::string rate_range(const Shown& shown, const PredictedPoint& point, std::string (*number)(double)) {
  return fmt::format("{} to {}", number(in_shown_unit(shown, point.samples_per_s_low)),
                     number(in_shown_unit(shown, point.samples_per_s_high)));
}

double measured_rate(const Shown& shown, const PredictedPoint& point) {
  const double asked = shown.prediction.scenario.batch_per_gpu;
  const double batch = asked > 0 ? asked : point.batch_per_gpu; // of a global batch each scale has its own
  return in_shown_unit(shown, point.gpus * batch / point.measured->iteration_s);
}

/// "128 images a GPU"; "4 x 8,192 tokens a GPU"; "512 x 8,192 tokens on all GPUs".
std::string batch_in_words(const Scenario& scenario, const AskedMachine& machine) {
  if (scenario.batch_per_gpu == 0 && scenario.global_batch == 0) return batch_text(scenario);
  const bool is_global = scenario.batch_per_gpu == 0;
  const double samples = is_global ? scenario.global_batch : scenario.batch_per_gpu;
  const char* whose = is_global ? "on all GPUs" : "a GPU";
  if (machine.tokens_per_sample == 0) return fmt::format("{:g} {} {}", samples, machine.unit, whose);
  return fmt::format("{:g} x {} tokens {}", samples, with_commas(machine.tokens_per_sample), whose);
}

std::string screen_headline(const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  const auto& machine = prediction.machine;
  const auto batch = batch_in_words(scenario, machine);
  const auto network = machine.network.empty() ? "" : ", " + machine.network;
  return fmt::format("{} on {} (nodes of {}{}), {}, {}, {}", scenario.model, scenario.cluster, machine.node, network,
                     batch, to_text(scenario.precision), prediction.strategies.front().preset);
}

std::string whose_gpus(const Shown& shown) {
  const int gpus = shown.point.gpus;
  const int available = shown.prediction.available_gpus;
  const auto count = with_commas(gpus);
  const bool fits = !shown.point.memory || shown.point.memory->fit != MemoryFit::too_large;
  const auto train = !fits ? "would train" : gpus == 1 ? "trains" : "train";
  const auto plural = gpus == 1 ? "GPU" : "GPUs";
  if (gpus == available) return fmt::format("Your {} {} {}", count, plural, train);
  if (gpus < available) return fmt::format("{} of your {} GPUs {}", count, with_commas(available), train);
  return fmt::format("{} {} (you have {}) {}", count, plural, with_commas(available), train);
}

/// What a GPU makes of its peak: a share of perfect scaling, or a rate and MFU where no GPU can hold the model alone.
std::string use_of_gpus(const Shown& shown) {
  const auto& point = shown.point;
  if (!counts_tokens(shown))
    return point.gpus == 1 ? "" : fmt::format(", which is {} of perfect scaling", plain_percent(point.efficiency));
  const auto mfu = point.flop_utilisation > 0 ? fmt::format(", {} MFU", plain_percent(point.flop_utilisation)) : "";
  return fmt::format(": {} a GPU{}", plain_number(point.tokens_per_s / point.gpus), mfu);
}

std::string growth_sentence(const Shown& shown) {
  const auto& largest = shown.answer.largest_scale;
  const auto bound = plain_percent(shown.prediction.scenario.efficiency_bound);
  const int against = shown.answer.efficient_against_gpus;
  if (shown.answer.measure_next.parameter.empty() && largest.gpus == 0) return "";
  if (largest.gpus == 0) return fmt::format(" Efficiency is below {} at every scale.", bound);
  const auto what = against > 1 ? fmt::format("a GPU does {} of what it does on {}", bound, with_commas(against))
                                : fmt::format("efficiency is {}", bound);
  const auto end = largest.gpus_low < largest.gpus
                       ? fmt::format(" (90 %: it may end at {})", with_commas(largest.gpus_low))
                       : std::string();
  if (largest.beyond_growth)
    return fmt::format(" Growing pays up to {} GPUs, the most that the cluster may grow to{}.",
                       with_commas(largest.gpus), end);
  return fmt::format(" Growing pays up to about {} GPUs (90 %: {} to {}), where {}.", with_commas(largest.gpus),
                     with_commas(largest.gpus_low), with_commas(largest.gpus_high), what);
}

/// What to change where the run does not fit into memory; "" where it does.
std::string memory_first(const PredictedPoint& point) {
  if (!point.memory || point.memory->fit != MemoryFit::too_large) return "";
  return fmt::format("Does not fit: a GPU needs {} of {}; {}. ", gibibytes_text(point.memory->parts.total()),
                     gibibytes_text(point.memory->gpu_bytes), point.memory->advice);
}

std::string screen_verdict(const Shown& shown) {
  const auto& point = shown.point;
  const auto measured =
      point.measured ? fmt::format("; measured {}", plain_number(measured_rate(shown, point))) : std::string();
  auto text = memory_first(point) + fmt::format("{} about {} {}/s (90 %: {}{}){}.{}", whose_gpus(shown),
                                                plain_number(in_shown_unit(shown, point.samples_per_s)), unit_of(shown),
                                                rate_range(shown, point, plain_number), measured, use_of_gpus(shown),
                                                growth_sentence(shown));
  if (point.memory && point.memory->fit == MemoryFit::tight)
    text += fmt::format(" Memory of a GPU: {}.", peak_memory_text(point));
  return text;
}

// The table of some scales.

/// The possible points with the scales at hand and at the end, and those farthest from them on a logarithmic axis.
std::vector<const PredictedPoint*> points_of_screen(const Shown& shown, std::size_t most) {
  std::vector<const PredictedPoint*> left;
  std::vector<const PredictedPoint*> taken{&shown.point};
  for (const auto& point : shown.answer.points)
    if (point.error.empty() && &point != &shown.point) left.push_back(&point);
  if (!left.empty() && left.back()->gpus > shown.point.gpus) taken.push_back(left.back());
  const auto distance = [&](const PredictedPoint* point) {
    double nearest = 1e9;
    for (const auto* other : taken)
      nearest = std::min(nearest, std::abs(std::log(static_cast<double>(point->gpus) / other->gpus)));
    return point->gpus == 1 ? nearest / 4 : nearest; // one GPU alone says least about many
  };
  while (taken.size() < std::min(most, shown.answer.points.size())) {
    const auto farthest = std::max_element(left.begin(), left.end(),
                                           [&](const auto* a, const auto* b) { return distance(a) < distance(b); });
    if (farthest == left.end() || distance(*farthest) <= 0) break;
    taken.push_back(*farthest);
  }
  std::sort(taken.begin(), taken.end(), [](const auto* a, const auto* b) { return a->gpus < b->gpus; });
  return taken;
}

std::string mark_of(const Shown& shown, const PredictedPoint& point, bool with_measured) {
  std::string text;
  const auto add = [&](const std::string& word) { text += (text.empty() ? "" : ", ") + word; };
  if (point.gpus == shown.prediction.available_gpus) add("yours");
  if (point.gpus == shown.prediction.growth_gpus && point.gpus > shown.prediction.available_gpus) add("growth");
  if (with_measured && point.measured) add("measured " + cell_number(measured_rate(shown, point)));
  return text;
}

std::string bar_of(double share) {
  constexpr double columns = 16;
  return std::string(static_cast<std::size_t>(std::lround(columns * std::clamp(share, 0.0, 1.0))), '#');
}

/// "38 of 80", "104 of 80, does not fit"; the head of the column has the unit.
std::string memory_cell(const PredictedPoint& point) {
  auto text = peak_memory_text(point);
  if (const auto unit = text.find(" GiB"); unit != std::string::npos) text.erase(unit, 4);
  return text;
}

std::string table_of_points(const Shown& shown, std::size_t most, bool with_measured) {
  const bool tokens = counts_tokens(shown);
  std::vector<std::vector<std::string>> rows;
  for (const auto* point : points_of_screen(shown, most)) {
    rows.push_back({with_commas(point->gpus), cell_number(in_shown_unit(shown, point->samples_per_s)),
                    "(" + rate_range(shown, *point, cell_number) + ")"});
    auto& row = rows.back();
    if (tokens) {
      row.push_back(cell_number(point->tokens_per_s / point->gpus));
      row.push_back(point->flop_utilisation > 0 ? plain_percent(point->flop_utilisation) : "-");
      row.push_back(memory_cell(*point));
    } else {
      row.push_back(plain_percent(point->efficiency));
      row.push_back(bar_of(point->efficiency));
    }
    row.push_back(mark_of(shown, *point, with_measured));
  }
  std::vector<Column> columns{{"GPUs"}, {unit_of(shown) + "/s"}, {"(90 %)", Align::left}};
  if (tokens) columns.insert(columns.end(), {{"a GPU"}, {"MFU"}, {"memory, GiB", Align::left}});
  if (!tokens) columns.insert(columns.end(), {{"efficiency"}, {"", Align::left}});
  columns.push_back({"", Align::left});
  return to_table(columns, rows);
}

bool is_too_wide(const std::string& text) {
  std::size_t begin = 0;
  for (auto end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin))
    if (end - begin > screen_columns) return true;
  return false;
}

/// The table with what was measured, where there is room for it.
std::string screen_table(const Shown& shown, std::size_t most) {
  const auto text = table_of_points(shown, most, true);
  return is_too_wide(text) ? table_of_points(shown, most, false) : text;
}

// The sentences below the table.

std::string where_time_goes(const Shown& shown) {
  struct Part {
    const char* words;
    double IterationParts::*seconds;
  };
  constexpr Part parts[] = {{"compute", &IterationParts::compute_s},
                            {"exposed communication", &IterationParts::exposed_communication_s},
                            {"sync overhead", &IterationParts::synchronisation_s},
                            {"waiting for the slowest node", &IterationParts::straggling_s},
                            {"traffic of other jobs", &IterationParts::neighbours_s},
                            {"waiting for input", &IterationParts::input_wait_s},
                            {"pipeline bubble", &IterationParts::bubble_s},
                            {"more in measured runs", &IterationParts::unexplained_s}};
  constexpr double least_share = 0.005;
  std::vector<std::pair<double, std::string>> shares;
  for (const auto& part : parts) {
    const double share = shown.point.parts.*part.seconds / shown.point.iteration_s;
    if (share >= least_share) shares.emplace_back(share, fmt::format("{} {}", plain_percent(share), part.words));
    if (part.seconds == &IterationParts::unexplained_s && share <= -least_share)
      shares.emplace_back(0, fmt::format("measured runs take {} less", plain_percent(-share)));
  }
  std::stable_sort(shares.begin(), shares.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string list;
  for (const auto& share : shares) list += (list.empty() ? "" : ", ") + share.second;
  return fmt::format("Where the time goes at {} GPU{}: {}.", with_commas(shown.point.gpus),
                     shown.point.gpus == 1 ? "" : "s", list);
}

std::string way_in_words(const Shown& shown, const StrategyAnswer& answer) {
  const auto words = strategy_in_words(answer);
  const auto same = [&](const StrategyAnswer& other) { return strategy_in_words(other) == words; };
  const auto& all = shown.prediction.strategies;
  if (std::count_if(all.begin(), all.end(), same) <= 1) return words;
  const auto same_stack = [&](const StrategyAnswer& other) { return same(other) && other.preset == answer.preset; };
  if (std::count_if(all.begin(), all.end(), same_stack) > 1) return to_text(shown_strategy(answer));
  return fmt::format("{} of {}", words, answer.preset);
}

std::string how_another_way_does(const Shown& shown, const StrategyAnswer& other) {
  const auto* point = point_at(other, shown.point.gpus);
  const auto words = way_in_words(shown, other);
  if (point == nullptr) return words + ": not possible";
  const double slower = 1 - point->samples_per_s / shown.point.samples_per_s;
  auto text = other.at_hand.equally_fast ? words + ": equally fast"
              : slower >= 0              ? fmt::format("{}: {} slower", words, plain_percent(slower))
                                         : fmt::format("{}: {} faster", words, plain_percent(-slower));
  if (point->memory && point->memory->fit == MemoryFit::too_large) text += ", does not fit";
  if (other.largest_scale.gpus > 0) text += fmt::format(", pays up to {}", with_commas(other.largest_scale.gpus));
  return text;
}

std::string what_the_table_assumes(const Shown& shown) {
  const auto text = fmt::format("The table assumes {}.", way_in_words(shown, shown.answer));
  if (!shown.point.best_layout) return text;
  return fmt::format("{} At {} it is {}.", text, gpus_in_words(shown.point.gpus),
                     degrees_in_words(shown.point.best_layout->strategy));
}

std::string other_ways(const Shown& shown) {
  std::string list;
  for (const auto& answer : shown.prediction.strategies)
    if (&answer != &shown.answer) list += (list.empty() ? "" : "; ") + how_another_way_does(shown, answer);
  return list.empty() ? list : fmt::format("Other ways at {}: {}.", gpus_in_words(shown.point.gpus), list);
}

std::string met_runs(const Shown& shown) {
  int runs = 0;
  double worst = 0;
  for (const auto& point : shown.answer.points) {
    if (!point.measured) continue;
    ++runs;
    worst = std::max(worst, std::abs(std::log(point.measured->iteration_s / point.iteration_s)));
  }
  if (runs == 0) return "";
  return fmt::format("{} measured run{} met within {}", runs, runs == 1 ? " here is" : "s here are",
                     plain_percent(std::ceil(100 * worst) / 100));
}

std::string one_gpu_in_words(EvidenceLabel evidence) {
  switch (evidence) {
  case EvidenceLabel::calibrated:
    return "the rate of one GPU was measured here";
  case EvidenceLabel::extrapolated:
    return "the rate of one GPU is estimated from other batches here";
  case EvidenceLabel::transferred:
    return "the rate of one GPU is estimated from other clusters";
  case EvidenceLabel::assumed:
    break;
  }
  return "the rate of one GPU rests on data sheets, or on what was stated";
}

std::string reach_in_words(const Shown& shown) {
  const auto& reach = shown.answer.measured;
  if (reach.gpus > 0) return fmt::format("runs here reach {} GPUs", with_commas(reach.gpus));
  if (reach.nodes_elsewhere > 0)
    return fmt::format("runs of this kind on other clusters reach {} nodes", reach.nodes_elsewhere);
  return "no run of this kind was used";
}

std::string how_sure(const Shown& shown) {
  const auto met = met_runs(shown);
  const auto computed = largest_possible(shown.answer)->extrapolated ? "; larger scales are computed" : "";
  return fmt::format("How sure: {}; {}{}.", met.empty() ? one_gpu_in_words(shown.answer.one_gpu.evidence) : met,
                     reach_in_words(shown), computed);
}

std::string what_to_measure_next(const Shown& shown) {
  constexpr double least_gain = 0.01;
  const auto gains = [](const MeasureNext& next) {
    return !next.parameter.empty() && next.interval_now - next.interval_then >= least_gain;
  };
  const auto& here = shown.answer.at_hand.measure_next;
  const auto& next = gains(here) ? here : shown.answer.measure_next;
  if (!gains(next)) return "Measure next: no single measurement would narrow this by 1 %.";
  return fmt::format("Measure next: {}. It narrows the figure for {} GPUs from +-{:.0f} % to +-{:.0f} %.", next.what,
                     with_commas(next.at_gpus), 100 * next.interval_now, 100 * next.interval_then);
}

// The screen.

std::size_t lines_in(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

} // namespace

PredictionScreen screen_sentences(const Prediction& prediction) {
  const auto* answer = recommended_answer(prediction);
  const auto* point = answer == nullptr ? nullptr : point_at(*answer, gpus_at_hand(prediction));
  if (point == nullptr)
    return {screen_headline(prediction) + ".", "None of the scales asked for is possible.", {}, {}, {}, {}, {}};
  const Shown shown{prediction, *answer, *point};
  return {screen_headline(prediction) + ".", screen_verdict(shown), where_time_goes(shown),
          what_the_table_assumes(shown),     other_ways(shown),     how_sure(shown),
          what_to_measure_next(shown)};
}

std::string to_screen_text(const Prediction& prediction) {
  const auto* answer = recommended_answer(prediction);
  const auto* point = answer == nullptr ? nullptr : point_at(*answer, gpus_at_hand(prediction));
  if (point == nullptr) return impossible_screen(prediction);
  const Shown shown{prediction, *answer, *point};
  const auto question = screen_text(screen_headline(prediction), 2);
  const auto verdict = screen_text(screen_verdict(shown), 5);
  const auto tail = screen_text(how_sure(shown), 2) + screen_text(what_to_measure_next(shown), 3) +
                    "More: --details (every way and scale), --html page.html (charts), --json\n";
  const auto where = screen_text(where_time_goes(shown), 3);
  const std::size_t fewest_rows = points_of_screen(shown, 3).size();
  constexpr std::size_t most_rows = 6;
  constexpr std::size_t around = 4; // the head of the table and three blank lines
  const auto rest = lines_in(question + verdict + where + tail);
  const auto left = screen_lines - std::min(screen_lines, rest + around);
  const auto others = other_ways(shown);
  const auto of_ways = what_the_table_assumes(shown) + (others.empty() ? "" : " " + others);
  const auto wanted = lines_in(screen_text(of_ways, screen_lines));
  const bool is_tight = left < wanted + fewest_rows; // blank lines give way to words
  const auto room = is_tight ? left + around - 1 : left;
  const auto ways = screen_text(of_ways, room - std::min(room, fewest_rows));
  const auto rows = std::clamp(room - std::min(room, lines_in(ways)), fewest_rows, most_rows);
  const std::string blank = is_tight ? "" : "\n";
  return question + blank + verdict + blank + screen_table(shown, rows) + blank + where + ways + tail;
}

} // namespace ddlsim
