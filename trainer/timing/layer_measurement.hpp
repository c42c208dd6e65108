#pragma once
// Repeated steps of a model at one batch size, and the records made from them.

#include "trainer/records/disturbance.hpp"
#include "trainer/timing/layer_timer.hpp"
#include "trainer/timing/measure_options.hpp"
#include "trainer/timing/step_clock.hpp"

#include <cstdint>

namespace ddltrain {

/// Samples of one model at one batch size; plain and observed steps alternate, so that both meet the same state of the
/// machine.
struct LayerMeasurement {
  std::string model;
  ddlsim::Precision precision = ddlsim::Precision::fp32;
  std::string math; ///< LibTorch's settings in words; "" where they have no meaning
  std::int64_t batch = 1;
  std::vector<TimedLayer> layers;
  std::vector<std::vector<LayerStepTimes>> observed; ///< times by repetition, then by layer
  std::vector<StepTimes> observed_steps;
  std::vector<StepTimes> plain_steps;
  QueueCount queue;
  OtherCpuUse others;
};

/// Repeats steps, after a warm-up, until the median of the plain step is known well enough. queued: number of steps
/// that a GPU is given at a time; 1 times each step alone.
LayerMeasurement measure_layers(LayerTimer& timer, const RepeatLimits& limits, std::size_t queued = 1);

struct LayerRecords {
  StepRecord step;     ///< one plain step, without synchronisation
  LayersRecord layers; ///< the layers' forward and backward times, of one timing
};

LayerRecords records_of(const LayerMeasurement& measured, const MeasureOptions& options);

/// How much of the step's time the layers explain.
struct LayerBalance {
  double layers_s = 0;    ///< sum of the layers' median times, forward and backward
  double within_step = 0; ///< share of the layers in the passes of the observed step, median over the steps
  double observed_s = 0;  ///< median time of forward and backward with the observers on
  double plain_s = 0;     ///< the same with the observers off
  double sum_share() const { return layers_s / plain_s; }
  double overhead() const { return observed_s / plain_s - 1; }
};

LayerBalance balance_of(const LayerMeasurement& measured);

} // namespace ddltrain
