#pragma once
// Repeated steps of a model at one batch, and what they say as records.

#include "trainer/records/disturbance.hpp"
#include "trainer/timing/layer_timer.hpp"
#include "trainer/timing/measure_options.hpp"
#include "trainer/timing/step_clock.hpp"

#include <cstdint>

namespace ddltrain {

/// Samples of one model at one batch; plain and observed steps take turns, so that both meet the same machine.
struct LayerMeasurement {
  std::string model;
  ddlsim::Precision precision = ddlsim::Precision::fp32;
  std::string math; ///< LibTorch's settings in words; "" where they mean nothing
  std::int64_t batch = 1;
  std::vector<TimedLayer> layers;
  std::vector<std::vector<LayerStepTimes>> observed; ///< by repetition, by layer
  std::vector<StepTimes> observed_steps;
  std::vector<StepTimes> plain_steps;
  QueueCount queue;
  OtherCpuUse others;
};

/// Runs warm-up and repetitions until the median of the plain step is known well enough. queued: steps that a GPU is
/// given in one go; 1 times each alone.
LayerMeasurement measure_layers(LayerTimer& timer, const RepeatLimits& limits, std::size_t queued = 1);

struct LayerRecords {
  StepRecord step;     ///< one plain step, unsynchronised
  LayersRecord layers; ///< of one timing: forward and backward of each
};

LayerRecords records_of(const LayerMeasurement& measured, const MeasureOptions& options);

/// How well the layers explain the step.
struct LayerBalance {
  double layers_s = 0;    ///< sum over the layers of forward and backward medians
  double within_step = 0; ///< median over the steps of the share that layers have in the observed step's own passes
  double observed_s = 0;  ///< median forward + backward with the observers on
  double plain_s = 0;     ///< with the observers off
  double sum_share() const { return layers_s / plain_s; }
  double overhead() const { return observed_s / plain_s - 1; }
};

LayerBalance balance_of(const LayerMeasurement& measured);

} // namespace ddltrain
