#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <fmt/format.h>

#include <cmath>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

/// The parts of the time in which two layouts on the same GPUs differ: all parts except compute.
std::vector<std::pair<const char*, double>> parts_of_layout(const StepTime& time) {
  return {{"bubble", time.parts.bubble_s},
          {"tensor-parallel communication", time.parts.exposed.tensor_s},
          {"context-parallel communication", time.parts.exposed.context_s},
          {"sends between stages", time.parts.exposed.pipeline_s},
          {"data-parallel communication", time.parts.exposed.data_parallel_s}};
}

/// Returns the differences of at least a tenth of the largest one, as in "bubble 1.2 s less, tensor-parallel
/// communication 0.3 s more".
std::string differences(const StepTime& time, const StepTime& other) {
  const auto parts = parts_of_layout(time);
  const auto other_parts = parts_of_layout(other);
  double largest_s = 0;
  for (std::size_t i = 0; i < parts.size(); ++i)
    largest_s = std::max(largest_s, std::abs(parts[i].second - other_parts[i].second));
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const double more_s = parts[i].second - other_parts[i].second;
    if (!(std::abs(more_s) >= 0.1 * largest_s) || largest_s == 0) continue;
    text += fmt::format("{}{} {} {}", text.empty() ? "" : ", ", parts[i].first, short_seconds_text(std::abs(more_s)),
                        more_s > 0 ? "more" : "less");
  }
  return text;
}

std::string percent_slower(const StepTime& slower, const StepTime& faster) {
  return fmt::format("{:.1f} %", 100 * (slower.iteration_s / faster.iteration_s - 1));
}

/// Returns the sentence on a search at one scale that found a layout.
std::string sentence_of_search(const FoundLayout& found, int gpus) {
  std::string text =
      fmt::format("Best layout at {} GPUs: {}, of {} tried", gpus, degrees_in_words(found.strategy), found.tried);
  if (found.refused_by_memory > 0) text += fmt::format(", {} of which do not fit into memory", found.refused_by_memory);
  if (found.runner_up) {
    const auto why = differences(found.best->time, found.runner_up->time);
    text += fmt::format("; the next, {}, takes {} longer{}", degrees_in_words(found.runner_up->strategy),
                        percent_slower(found.runner_up->time, found.best->time),
                        why.empty() ? "" : " (the best has " + why + ")");
  }
  if (found.too_large)
    text += fmt::format("; with more memory {} would be faster, by {}", degrees_in_words(found.too_large->strategy),
                        percent_slower(found.best->time, found.too_large->time));
  return text + ".";
}

/// Returns the time of keys and values, as in "12 ms of keys and values, "; "" without context groups.
std::string keys_text(const Strategy& strategy, const PredictedPoint& point) {
  if (strategy.parallel.context == 1) return "";
  return short_seconds_text(point.parts.exposed.context_s) + " of keys and values, ";
}

} // namespace

std::string degrees_in_words(const Strategy& strategy) {
  const auto& parallel = strategy.parallel;
  const auto context = parallel.context == 1 ? "" : fmt::format("context {}, ", parallel.context);
  const auto expert = parallel.expert == 1 ? "" : fmt::format("expert {}, ", parallel.expert);
  const auto pieces = parallel.virtual_stages > 1 ? fmt::format(" of {} pieces", parallel.virtual_stages) : "";
  const auto again = parallel.recompute == Recompute::none ? "" : ", " + to_text(parallel.recompute) + " recomputation";
  const auto shards = parallel.data_parallel != DataParallel::fsdp     ? ""
                      : parallel.shard_group == ShardedOptions::a_node ? ", fsdp in groups of a node"
                                                                       : ", fsdp";
  return fmt::format("tensor {}, {}{}{} stage{}{}, {} micro-batch{}{}{}", parallel.tensor, context, expert,
                     parallel.pipeline, parallel.pipeline == 1 ? "" : "s", pieces, parallel.micro_batches,
                     parallel.micro_batches == 1 ? "" : "es", shards, again);
}

std::string offload_sentence(const StrategyAnswer& answer) {
  std::string list;
  for (const auto& point : answer.points)
    if (point.error.empty() && point.least_host_memory_bytes > 0)
      list += fmt::format(
          "{}{} and {} at {} GPU{}", list.empty() ? "" : "; ", short_seconds_text(point.parts.exposed.offload_s),
          print_quantity(point.least_host_memory_bytes, Dimension::size), point.gpus, point.gpus == 1 ? "" : "s");
  return list.empty() ? ""
                      : "What copies and the update on the host add, and its memory a node, at least: " + list + ".";
}

std::vector<std::string> layout_sentences(const StrategyAnswer& answer) {
  std::vector<std::string> sentences;
  for (const auto& point : answer.points) // a scale at which nothing fits says so in its own point
    if (point.error.empty() && point.best_layout && point.best_layout->best)
      sentences.push_back(sentence_of_search(*point.best_layout, point.gpus));
  return sentences;
}

std::string layout_lines(const StrategyAnswer& answer) {
  if (!is_model_parallel(answer.strategy.name)) return "";
  std::string list;
  for (const auto& point : answer.points) {
    if (!point.error.empty()) continue;
    list += fmt::format("{}{} at {} GPUs", list.empty() ? "" : "; ",
                        fmt::format("{} inside layers, {}{} between stages, {} among replicas",
                                    short_seconds_text(point.parts.exposed.tensor_s), keys_text(answer.strategy, point),
                                    short_seconds_text(point.parts.exposed.pipeline_s),
                                    short_seconds_text(point.parts.exposed.data_parallel_s)),
                        point.gpus);
  }
  std::string text = list.empty() ? "" : to_lines("Exposed communication: " + list + ".");
  for (const auto& sentence : layout_sentences(answer)) text += to_lines(sentence);
  return text;
}

} // namespace ddlsim
