#pragma once
// One strategy over scales: the median sample and all drawn samples.

#include "sim/iteration/step.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/residual_process.hpp"

namespace ddlsim {

/// What a calibration says beyond the samples themselves.
struct CalibrationInfo {
  bool any = false;                 ///< there is a calibration
  std::vector<bool> identified{};   ///< by parameter_fields(): narrowed by measurements
  std::vector<bool> borrowed{};     ///< the same, by measurements of other clusters only
  ResidualProcess alpha_beta{};     ///< of what no parameter explains
  std::vector<KnownResidual> own{}; ///< of the same series, where it was measured
  bool donated = false;             ///< another cluster ran such a strategy over this transport
  int largest_nodes = 0;            ///< measured with this transport and kind of strategy
};

/// What all scales of one strategy share. `setup.gpus` is set for each scale.
struct Curve {
  StepSetup setup;
  Parameters median;
  Draws samples;
  int gpus_per_full_node = 1;
  int growth_gpus = 0;             ///< most GPUs the cluster may grow to
  EvidenceLabel compute_label;     ///< of the one-GPU rate
  double discrepancy_width = 0.05; ///< standard deviation of ln that model_discrepancy was drawn with
  CalibrationInfo learnt{};        ///< from the cluster's calibration, where there is one
};

/// The setup at another scale: ranks fill nodes; one GPU alone needs no synchronisation.
StepSetup at_scale(const Curve& curve, int gpus);

/// The sample with what no parameter explains at that scale: carried from the scales where the same series was measured,
/// else the law's spread. `sample.model_discrepancy` comes as drawn from its prior.
Parameters estimated(const Curve& curve, const Parameters& sample, int gpus);

/// Median sample by `fidelity`; interval from the drawn samples run quickly, carried over as a ratio to the median sample
/// run quickly, so that what contention adds in a full run moves the whole interval; where the way of running is an
/// approximation, its gap widens the interval. Beyond growth_gpus: a point with an error.
struct PointAndSamples {
  PredictedPoint point;
  std::vector<double> sample_times_s; ///< none for a point that cannot be
};
PointAndSamples predict_point(const Curve& curve, int gpus, Fidelity fidelity);

/// Iteration times at that scale of the first samples, none by a full run: of all, or of fewer (40 or more) where the
/// shards on servers make one costly, so that a point stays within about 0.2 s.
std::vector<double> sample_times(const Curve& curve, int gpus);

/// Efficiency of one sample at that scale, not by a full run.
double efficiency(const Curve& curve, const Parameters& sample, int gpus);

} // namespace ddlsim
