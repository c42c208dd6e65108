#pragma once
// A profile of a GPU one does not have, from what was published about it.

#include "trainer/compute/profile.hpp"
#include "trainer/describe/layer_table.hpp"

namespace ddltrain {

/// One GPU's figures that layers are weighed with.
struct GpuRates {
  double peak_flop_per_s = 0;
  double memory_Bps = 0;
};

/// Reads platforms/gpus.json. Throws UsageError for an unknown GPU, or one without that precision's peak.
GpuRates gpu_rates(const std::filesystem::path& platforms, const std::string& gpu, const std::string& precision);

/// What is asked of the records.
struct PublishedStep {
  std::string model;
  std::string gpu;
  std::string precision = "fp32";
  double batch = 0; ///< 0: the one batch there is
};

struct FoundStep {
  double batch = 0;
  double iteration_s = 0; ///< median of the records found
  std::string source;     ///< how many records, from which files
};

/// The training iteration of one GPU without synchronisation, measured, over all platforms/*/measurements. Throws
/// UsageError when there is none, or several batches and none was chosen.
FoundStep find_published_step(const std::filesystem::path& platforms, const PublishedStep& wanted);

/// Splits an iteration over the layers. The rule: a layer weighs its roofline time, the longer of forward FLOP at the
/// peak rate and bytes (its output, written and read again, and its parameters) at the memory rate; its backward pass
/// weighs twice that with parameters (gradients of input and of weights), once without. Weights are scaled to sum to
/// the iteration, so the update is spread over the layers too.
Profile split_by_roofline(const LayerTable& table, const GpuRates& gpu, const FoundStep& step,
                          const PublishedStep& wanted);

} // namespace ddltrain
