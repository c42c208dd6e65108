#include "sim/predict/report_memory.hpp"

#include "sim/base/table.hpp"
#include "sim/iteration/memory_fit.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace ddlsim {
namespace {

/// The point whose GPUs need most; null when no point is possible.
const PredictedPoint* fullest(const StrategyAnswer& answer) {
  const PredictedPoint* most = nullptr;
  for (const auto& point : answer.points)
    if (point.memory && (most == nullptr || point.memory->parts.total() > most->memory->parts.total())) most = &point;
  return most;
}

bool needs_advice(const PredictedPoint& point) {
  return point.memory && point.memory->fit != MemoryFit::fits;
}

} // namespace

std::string peak_memory_text(const PredictedPoint& point) {
  if (!point.memory) return "-";
  const auto& memory = *point.memory;
  const auto peak = gibibytes_text(memory.parts.total());
  if (!(memory.gpu_bytes > 0)) return peak;
  const auto number = peak.substr(0, peak.find(' '));
  const auto fit = memory.fit == MemoryFit::fits ? "" : ", " + to_text(memory.fit);
  return fmt::format("{} of {}{}", number, gibibytes_text(memory.gpu_bytes), fit);
}

std::vector<std::string> memory_sentences(const StrategyAnswer& answer) {
  const auto* most = fullest(answer);
  if (most == nullptr) return {};
  std::vector<std::string> sentences{fmt::format("Peak memory of a GPU: {} (within {:.0f} %), at {} GPU{}.",
                                                 peak_memory_text(*most), 100 * most->memory->half_width, most->gpus,
                                                 most->gpus == 1 ? "" : "s")};
  const auto first = std::find_if(answer.points.begin(), answer.points.end(), needs_advice);
  if (first != answer.points.end())
    sentences.push_back(fmt::format("Memory {} at {} GPU{}: the peak is known within {:.0f} %; {}.",
                                    first->memory->fit == MemoryFit::tight ? "is tight" : "does not fit", first->gpus,
                                    first->gpus == 1 ? "" : "s", 100 * first->memory->half_width,
                                    first->memory->advice));
  return sentences;
}

std::string memory_lines(const StrategyAnswer& answer) {
  const auto* most = fullest(answer);
  const bool is_in_table = most != nullptr && most->tokens_per_s > 0;
  std::string text;
  const auto sentences = memory_sentences(answer);
  for (std::size_t i = is_in_table ? 1 : 0; i < sentences.size(); ++i) text += to_lines(sentences[i]);
  return text;
}

} // namespace ddlsim
