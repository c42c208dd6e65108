#include "platforms/tools/hidden_times.hpp"
#include "sim/compute/compute_priors.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <cmath>

namespace ddlsim {
namespace {

constexpr double in_90_percent = 1.645; // standard deviations either side of a normal distribution's median

/// What a site asks of models that it has not run, before and after its first record.
struct AskedSite {
  int asked = 0;
  int held_before = 0;
  int held_after = 0;
  double half_width_before = 0; ///< mean
  double half_width_after = 0;
};

OneGpuEstimate estimate_of(const ShippedTimes& shipped, const std::vector<StepRecord>& own, const StepRecord& asked) {
  auto others = shipped.catalogue;
  for (const auto& record : shipped.records)
    if (record.site != asked.site) others.records.push_back(record);
  const auto model = std::find_if(shipped.models.begin(), shipped.models.end(),
                                  [&](const Model& one) { return one.name == asked.model; });
  const auto gpu = std::find_if(shipped.catalogue.gpus.begin(), shipped.catalogue.gpus.end(),
                                [&](const Gpu& one) { return one.name == asked.head.gpu; });
  ComputeQuestion question{*model, *gpu, asked.precision, asked.batch_per_gpu, asked.preset};
  question.has_update = asked.optimizer;
  return OneGpuTimes("", asked.site, own, {}, std::move(others)).find(question);
}

void ask(const ShippedTimes& shipped, const StepRecord& first, const StepRecord& asked, AskedSite& site) {
  const auto before = estimate_of(shipped, {}, asked);
  const auto after = estimate_of(shipped, {first}, asked);
  const auto half_width = [](const OneGpuEstimate& one) { return in_90_percent * width_of_estimate(one); };
  const auto holds = [&](const OneGpuEstimate& one) {
    return std::abs(std::log(one.one_gpu_s / asked.iteration_s)) <= half_width(one);
  };
  ++site.asked;
  site.held_before += holds(before) ? 1 : 0;
  site.held_after += holds(after) ? 1 : 0;
  site.half_width_before += half_width(before);
  site.half_width_after += half_width(after);
}

} // namespace

TEST_CASE("a site's first record of a language model narrows what it asks of its other models", "[hidden]") {
  const auto shipped = read_shipped_times(DataFolder{DDLSIM_SOURCE_DIR});
  AskedSite mosaic;
  for (const auto& first : shipped.records) {
    const bool is_first =
        first.site == "mosaicml" && first.model == "mpt_7b_seq2048" && first.precision == Precision::bf16;
    if (!is_first) continue;
    for (const auto& asked : shipped.records) {
      const bool is_of_stack = asked.site == first.site && asked.head.gpu == first.head.gpu &&
                               asked.preset == first.preset && asked.precision == first.precision;
      // Another length of sequence is another question: its attention has another share of the time.
      const bool is_as_long = asked.model.ends_with("_seq2048");
      if (is_of_stack && is_as_long && asked.model != first.model) ask(shipped, first, asked, mosaic);
    }
  }
  REQUIRE(mosaic.asked >= 20);
  INFO("asked " << mosaic.asked << ", held " << mosaic.held_before << " before and " << mosaic.held_after
                << " after, half-width " << mosaic.half_width_before / mosaic.asked << " and "
                << mosaic.half_width_after / mosaic.asked);
  CHECK(mosaic.half_width_after <= 0.7 * mosaic.half_width_before);
  CHECK(mosaic.held_after >= mosaic.held_before);
  CHECK(mosaic.held_after >= 0.75 * mosaic.asked);
}

} // namespace ddlsim
