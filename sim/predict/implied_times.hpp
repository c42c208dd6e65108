#pragma once
// One-GPU times that runs of several GPUs imply. Models too large for one GPU are measured on many or not at all; what
// the simulator says of such a run tells how much of it is one GPU's compute.

#include "sim/compute/other_clusters.hpp"
#include "sim/formats/cluster.hpp"
#include "sim/formats/gpu.hpp"
#include "sim/formats/model.hpp"
#include "sim/formats/preset.hpp"
#include "sim/formats/prior.hpp"
#include "sim/formats/record.hpp"

#include <optional>
#include <vector>

namespace ddlsim {

/// A run and the files that it names; they must outlive the call below.
struct ShardedRun {
  const StepRecord& record;
  const Model& model;
  const Cluster& cluster;
  const Gpu& gpu;
  const Preset& preset;
};

/// The record that one GPU would have made: the one-GPU time with which the simulator, with the priors' medians and by
/// screening, gives the run's time. Its doubt is ln(time of the run / time of one GPU), all that was taken off. Nothing
/// for what the simulator refuses.
std::optional<StepRecord> implied_by(const ShardedRun& run, const std::vector<Prior>& priors);

/// implied_by() the run on fewest GPUs of each GPU, model, precision, stack and micro-batch.
std::vector<StepRecord> implied_by_fewest(const std::vector<ShardedRun>& runs, const std::vector<Prior>& priors);

/// Of all clusters but those of `cluster`'s own site, from the files of a data folder.
std::vector<StepRecord> implied_elsewhere(const MeasuredTimes& measured, const Cluster& cluster,
                                          const std::vector<Preset>& presets, const std::vector<Prior>& priors,
                                          const DataFolder& data);

} // namespace ddlsim
