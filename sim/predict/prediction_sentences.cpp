#include "sim/predict/prediction_sentences.hpp"

#include "sim/base/table.hpp"
#include "sim/predict/report.hpp"
#include "sim/predict/report_memory.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace ddlsim {
namespace {

/// A strategy and its point at the compared scale.
struct Contender {
  const StrategyAnswer* answer = nullptr;
  const PredictedPoint* point = nullptr;
};

/// The largest scale at which any strategy is possible; 0 for none.
int largest_scale_of(const Prediction& prediction) {
  int gpus = 0;
  for (const auto& answer : prediction.strategies)
    if (const auto* point = largest_possible(answer)) gpus = std::max(gpus, point->gpus);
  return gpus;
}

bool is_too_large(const PredictedPoint& point) {
  return point.memory && point.memory->fit == MemoryFit::too_large;
}

/// The strategies that are possible at that scale: those that fit into memory first, and of these those with the most
/// samples a second.
std::vector<Contender> contenders_at(const Prediction& prediction, int gpus) {
  std::vector<Contender> all;
  for (const auto& answer : prediction.strategies)
    for (const auto& point : answer.points)
      if (point.gpus == gpus && point.error.empty()) all.push_back({&answer, &point});
  std::stable_sort(all.begin(), all.end(), [](const Contender& a, const Contender& b) {
    if (is_too_large(*a.point) != is_too_large(*b.point)) return is_too_large(*b.point);
    return a.point->samples_per_s > b.point->samples_per_s;
  });
  return all;
}

std::string question_sentence(const Prediction& prediction) {
  const auto& scenario = prediction.scenario;
  return fmt::format("{} at {}, {}, on {} ({} GPUs available, growth to {}).", scenario.model, batch_text(scenario),
                     to_text(scenario.precision), scenario.cluster, prediction.available_gpus, prediction.growth_gpus);
}

std::string nodes_words(const PredictedPoint& point) {
  const auto servers = point.server_nodes > 0 ? fmt::format(" and {} bought for servers", point.server_nodes) : "";
  return fmt::format("{} node{}{}", point.nodes, point.nodes == 1 ? "" : "s", servers);
}

/// What is wrong with the memory of a point that is named as the best; "" where it fits.
std::string memory_words(const PredictedPoint& point) {
  return is_too_large(point) ? fmt::format(" Its peak memory: {}.", peak_memory_text(point)) : "";
}

std::string best_sentence(const Contender& best) {
  const auto& p = *best.point;
  const auto time = seconds_interval(p.iteration_s, p.iteration_s_low, p.iteration_s_high);
  const auto share = percent_interval(p.efficiency, p.efficiency_low, p.efficiency_high);
  return fmt::format("Fastest at {} GPUs ({}): {}, with {}, {} {} an iteration, efficiency {} {}. Evidence: {}.{}",
                     p.gpus, nodes_words(p), answer_name(*best.answer), rate_words(p), time.value, time.bounds,
                     share.value, share.bounds, evidence_text(p), memory_words(p));
}

std::string next_best_sentence(const Contender& best, const Contender& next) {
  const bool apart = next.point->samples_per_s_high < best.point->samples_per_s_low;
  return fmt::format("Next: {}, with {}. The two intervals {}.", answer_name(*next.answer), rate_words(*next.point),
                     apart ? "do not meet" : "overlap, so that the order of the two is not certain");
}

/// Returns a sentence on the largest requested scale that the cluster has today, if a larger one was requested too;
/// else "".
std::string available_sentence(const Prediction& prediction, int largest) {
  int gpus = 0;
  for (const int requested : prediction.scenario.gpus)
    if (requested <= prediction.available_gpus && requested < largest) gpus = std::max(gpus, requested);
  const auto all = largest > prediction.available_gpus ? contenders_at(prediction, gpus) : std::vector<Contender>{};
  if (all.empty()) return "";
  return fmt::format("At {} GPUs, the largest scale asked for that is available, the fastest is {}, with {}.", gpus,
                     answer_name(*all.front().answer), rate_words(*all.front().point));
}

/// Returns a sentence on the parts that take more than a hundredth of the iteration.
std::string limit_sentence(const PredictedPoint& point) {
  constexpr double least_share = 0.01;
  std::string list;
  for (const auto& part : named_parts)
    if (const double part_s = point.parts.*part.seconds; std::abs(part_s) > least_share * point.iteration_s)
      list += fmt::format("{}{} {}", list.empty() ? "" : ", ", part.name, short_seconds_text(part_s));
  return fmt::format("Where its {} go: {}. What dominates is {}.", seconds_text(point.iteration_s), list,
                     point.bottleneck);
}

/// Returns the first sentence for the terminal. It is shorter than that of the page, because a table follows it.
std::string first_sentence(const Contender& best) {
  const auto& p = *best.point;
  const auto share = percent_interval(p.efficiency, p.efficiency_low, p.efficiency_high);
  return fmt::format("Fastest at {} GPUs ({}): {}, with {}, efficiency {} {}; {} dominates.{}", p.gpus, nodes_words(p),
                     answer_name(*best.answer), rate_words(p), share.value, share.bounds, p.bottleneck,
                     memory_words(p));
}

} // namespace

std::string rate_words(const PredictedPoint& point) {
  const auto rate = rate_interval(point.samples_per_s, point.samples_per_s_low, point.samples_per_s_high);
  return fmt::format("{} samples/s {}", rate.value, rate.bounds);
}

std::string answer_name(const StrategyAnswer& answer) {
  return fmt::format("{}{} with {} over {}", to_text(shown_strategy(answer)),
                     answer.library_stated ? " of " + answer.library : "", answer.preset, answer.transport);
}

const PredictedPoint* largest_possible(const StrategyAnswer& answer) {
  const auto found =
      std::find_if(answer.points.rbegin(), answer.points.rend(), [](const auto& point) { return point.error.empty(); });
  return found == answer.points.rend() ? nullptr : &*found;
}

std::vector<std::string> answer_sentences(const Prediction& prediction) {
  const int gpus = largest_scale_of(prediction);
  const auto all = contenders_at(prediction, gpus);
  if (all.empty()) return {"None of the scales asked for is possible; below is why."};
  std::vector<std::string> sentences{first_sentence(all.front())};
  if (all.size() > 1) sentences.push_back(next_best_sentence(all.front(), all[1]));
  if (const auto sentence = available_sentence(prediction, gpus); !sentence.empty()) sentences.push_back(sentence);
  return sentences;
}

std::vector<std::string> prediction_sentences(const Prediction& prediction) {
  std::vector<std::string> sentences{question_sentence(prediction)};
  const auto& requested = prediction.scenario.gpus;
  const int gpus = largest_scale_of(prediction);
  const auto all = contenders_at(prediction, gpus);
  if (all.empty()) {
    sentences.emplace_back("None of the scales asked for is possible; the table says why.");
    return sentences;
  }
  if (!requested.empty() && requested.back() > gpus)
    sentences.push_back(fmt::format("{} GPUs cannot be; the table says why.", requested.back()));
  const auto& best = all.front();
  sentences.push_back(best_sentence(best));
  const auto& next = best.answer->measure_next;
  if (!next.parameter.empty())
    sentences.push_back(largest_scale_text(*best.answer, prediction.scenario.efficiency_bound));
  sentences.push_back(limit_sentence(*best.point));
  if (best.point->input) sentences.push_back(input_sentences(*best.point));
  if (!next.parameter.empty()) sentences.push_back(measure_next_text(next));
  if (all.size() > 1) sentences.push_back(next_best_sentence(best, all[1]));
  if (const auto sentence = available_sentence(prediction, gpus); !sentence.empty()) sentences.push_back(sentence);
  return sentences;
}

} // namespace ddlsim
