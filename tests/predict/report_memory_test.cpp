// What a report says of a GPU's memory.

#include "sim/predict/report_memory.hpp"

#include <catch2/catch.hpp>

namespace ddlsim {
namespace {

constexpr double gib = 1073741824.0;

PredictedPoint point_of(int gpus, double weights_gib, MemoryFit fit) {
  PredictedPoint point;
  point.gpus = gpus;
  auto& memory = point.memory.emplace();
  memory.parts.weights = weights_gib * gib;
  memory.gpu_bytes = 80 * gib;
  memory.half_width = 0.1;
  memory.fit = fit;
  if (fit == MemoryFit::tight) memory.advice = "what would fit: a GPU of 96 GiB";
  return point;
}

} // namespace

TEST_CASE("peak and card in GiB, tight where it is, no card where none is known", "[report]") {
  CHECK(peak_memory_text(point_of(8, 61.2, MemoryFit::fits)) == "61 of 80 GiB");
  CHECK(peak_memory_text(point_of(8, 75, MemoryFit::tight)) == "75 of 80 GiB, tight");
  CHECK(peak_memory_text(point_of(8, 95, MemoryFit::too_large)) == "95 of 80 GiB, does not fit");
  auto unnamed = point_of(8, 4.25, MemoryFit::fits);
  unnamed.memory->gpu_bytes = 0;
  CHECK(peak_memory_text(unnamed) == "4.2 GiB");
  CHECK(peak_memory_text({}) == "-"); // an impossible point
}

TEST_CASE("the fullest scale of a model without tokens, and advice for the first tight one", "[report]") {
  StrategyAnswer answer;
  CHECK(memory_lines(answer).empty());
  answer.points = {point_of(1, 10, MemoryFit::fits), point_of(8, 12, MemoryFit::fits)};
  CHECK(memory_lines(answer) == "Peak memory of a GPU: 12 of 80 GiB (within 10 %), at 8 GPUs.\n");
  for (auto& point : answer.points) point.tokens_per_s = 1; // a table has the figures
  CHECK(memory_lines(answer).empty());
  answer.points.push_back(point_of(16, 75, MemoryFit::tight));
  answer.points.back().tokens_per_s = 1;
  CHECK(memory_lines(answer) ==
        "Memory is tight at 16 GPUs: the peak is known within 10 %; what would fit: a GPU of 96 "
        "GiB.\n");
}

} // namespace ddlsim
