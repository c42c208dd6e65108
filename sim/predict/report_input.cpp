#include "sim/base/table.hpp"
#include "sim/base/units.hpp"
#include "sim/predict/prediction_sentences.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

namespace ddlsim {
namespace {

std::string storage_rate_text(double rate_Bps) {
  return print_quantity(rate_Bps, Dimension::bandwidth);
}

/// Returns a number of samples as "28.96k".
std::string samples_text(double samples_per_s) {
  return rate_interval(samples_per_s, samples_per_s, samples_per_s).value;
}

/// Returns "1.25 GB/s from storage, 312 MB/s a node (90 % in all: 1.2 GB/s .. 1.3 GB/s)"; "" when the size of a sample
/// is not known.
std::string storage_text(const InputNeed& need, int nodes) {
  if (need.storage_Bps == 0) return "";
  const auto a_node = nodes > 1 ? fmt::format(", {} a node", storage_rate_text(need.storage_Bps / nodes)) : "";
  return fmt::format("{} from storage{} (90 %{}: {} .. {})", storage_rate_text(need.storage_Bps), a_node,
                     nodes > 1 ? " in all" : "", storage_rate_text(need.storage_Bps_low),
                     storage_rate_text(need.storage_Bps_high));
}

/// Returns "11 cores a node that decode (90 %: 5 .. 25; there are 40)"; "" when no loader is named.
std::string cores_text(const InputNeed& need) {
  if (need.node_cores == 0) return "";
  const auto there = need.cores_per_node > 0 ? fmt::format("there are {}", need.cores_per_node)
                                             : std::string("the scenario does not say how many there are");
  return fmt::format("{:.0f} cores a node that decode (90 %: {:.0f} .. {:.0f}; {})", std::ceil(need.node_cores),
                     std::ceil(need.node_cores_low), std::ceil(need.node_cores_high), there);
}

std::string needs_sentence(const PredictedPoint& point) {
  const auto& need = *point.input;
  const auto storage = storage_text(need, point.nodes);
  const auto cores = cores_text(need);
  const auto gpus = point.gpus == 1 ? std::string("1 GPU") : fmt::format("{} GPUs", point.gpus);
  return fmt::format("To keep {} busy takes {} samples/s{}{}{}{}.", gpus, samples_text(need.samples_per_s),
                     storage.empty() ? "" : ": ", storage, cores.empty() ? "" : (storage.empty() ? ": " : ", and "),
                     cores);
}

const char* limit_in_words(InputLimit limit) {
  switch (limit) {
  case InputLimit::none:
    break;
  case InputLimit::decoding:
    return "decoding";
  case InputLimit::storage:
    return "what a node reads from storage";
  case InputLimit::opening:
    return "opening a file a sample (packed samples are read in sequence)";
  case InputLimit::shared_storage:
    return "what all nodes together read from storage";
  case InputLimit::shared_opening:
    return "how many files all nodes together open (packed samples are read in sequence)";
  case InputLimit::workers:
    return "how many workers a node has, each of which reads a sample and then decodes it";
  }
  return "nothing";
}

std::string input_limit_sentence(const PredictedPoint& point) {
  const auto& need = *point.input;
  if (need.limit == InputLimit::none) return "Nothing that is known limits the input.";
  const auto chance = fmt::format("{:.0f} %", 100 * need.wait_chance);
  if (point.parts.input_wait_s > 0)
    return fmt::format("The GPUs wait for input, {} an iteration (chance of any wait {}): the limit is {}.",
                       short_seconds_text(point.parts.input_wait_s), chance, limit_in_words(need.limit));
  return fmt::format("The GPUs are not expected to wait for input (chance that they do {}): the nearest limit is {}.",
                     chance, limit_in_words(need.limit));
}

/// Returns " At 8, 32 GPUs it is decoding." for smaller scales with another limit.
std::string other_limits(const StrategyAnswer& answer, const PredictedPoint& largest) {
  std::vector<std::pair<InputLimit, std::string>> others; // limits and their scales, in order of first appearance
  for (const auto& point : answer.points) {
    if (!point.error.empty() || !point.input || point.parts.input_wait_s == 0) continue;
    const auto limit = point.input->limit;
    if (limit == largest.input->limit) continue;
    auto found = std::find_if(others.begin(), others.end(), [&](const auto& one) { return one.first == limit; });
    if (found == others.end()) found = others.insert(found, {limit, ""});
    found->second += fmt::format("{}{}", found->second.empty() ? "" : ", ", point.gpus);
  }
  std::string text;
  for (const auto& [limit, scales] : others)
    text += fmt::format(" At {} GPUs it is {}.", scales, limit_in_words(limit));
  return text;
}

} // namespace

std::string input_sentences(const PredictedPoint& point) {
  if (!point.error.empty() || !point.input) return "";
  return needs_sentence(point) + " " + input_limit_sentence(point);
}

std::string input_lines(const StrategyAnswer& answer) {
  const PredictedPoint* largest = nullptr;
  for (const auto& point : answer.points)
    if (point.error.empty() && point.input) largest = &point;
  if (largest == nullptr) return "";
  return to_lines(input_sentences(*largest) + other_limits(answer, *largest));
}

} // namespace ddlsim
