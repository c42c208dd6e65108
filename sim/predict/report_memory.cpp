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

bool is_tight(const PredictedPoint& point) {
  return point.memory && point.memory->fit == MemoryFit::tight;
}

} // namespace

std::string peak_memory_text(const PredictedPoint& point) {
  if (!point.memory) return "-";
  const auto& memory = *point.memory;
  const auto peak = gibibytes_text(memory.parts.total());
  if (!(memory.gpu_bytes > 0)) return peak;
  const auto number = peak.substr(0, peak.find(' '));
  return fmt::format("{} of {}{}", number, gibibytes_text(memory.gpu_bytes), is_tight(point) ? ", tight" : "");
}

std::string memory_lines(const StrategyAnswer& answer) {
  const auto* most = fullest(answer);
  if (most == nullptr) return "";
  std::string text;
  if (!(most->tokens_per_s > 0))
    text += to_lines(fmt::format("Peak memory a GPU, of {} GPU{}: {}.", most->gpus, most->gpus == 1 ? "" : "s",
                                 peak_memory_text(*most)));
  const auto tight = std::find_if(answer.points.begin(), answer.points.end(), is_tight);
  if (tight == answer.points.end()) return text;
  return text +
         to_lines(fmt::format("Memory is tight at {} GPU{}: the peak is known within {:.0f} %; {}.", tight->gpus,
                              tight->gpus == 1 ? "" : "s", 100 * tight->memory->half_width, tight->memory->advice));
}

} // namespace ddlsim
