#pragma once
// One strategy over scales: its median sample and all drawn samples, its largest efficient scale, and what to measure
// next.

#include "sim/formats/inputs.hpp"
#include "sim/iteration/step.hpp"
#include "sim/predict/best_layout.hpp"
#include "sim/predict/best_servers.hpp"
#include "sim/predict/measured_all_reduces.hpp"
#include "sim/predict/prediction.hpp"
#include "sim/predict/residual_process.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace ddlsim {

/// What a calibration tells about a curve beside its samples.
struct CalibrationInfo {
  bool any = false;               ///< whether there is a calibration
  std::vector<bool> identified{}; ///< whether measurements narrowed each of parameter_fields()
  /// whether only measurements of other clusters narrowed each of parameter_fields()
  std::vector<bool> borrowed{};
  std::vector<int> points{};          ///< number of measured points that may depend on each of parameter_fields()
  ResidualProcess residual_process{}; ///< process of the residuals of this strategy's series
  std::vector<KnownResidual> own{};   ///< residuals of the same series at its measured scales
  /// whether `own` is of other batches of the stack and model, because this batch was not measured
  bool of_other_batches = false;
  int largest_nodes = 0;       ///< most nodes measured here with this transport and kind of strategy
  int largest_donor_nodes = 0; ///< most nodes measured on the clusters that lend records; 0: none of them ran it
  int largest_gpus = 0;        ///< most GPUs measured here; by this stack alone where it was measured
  double line_share = 0;       ///< weight of the straight line of ln_shift_to_line()
  double line_fade = ModelConstants{}.line_fade;
  double measurement_noise = ModelConstants{}.unstated_noise; ///< standard deviation of ln of one measurement
  /// Least standard deviation of ln across nodes when no run of this kind of strategy across nodes is known, because
  /// residuals of other series say nothing about other paths. 0: such a run is known.
  double least_across_nodes = 0;
  /// measured all-reduces that this library ran alone over this transport
  std::vector<MeasuredAllReduce> all_reduces{};
};

/// The common data of all scales of one strategy. `setup.gpus` is set for each scale.
struct Curve {
  StepSetup setup;
  Parameters median;
  Draws samples;
  int gpus_per_full_node = 1;
  int growth_gpus = 0;             ///< most GPUs to which the cluster may grow
  EvidenceLabel compute_label;     ///< evidence of the one-GPU rate
  double discrepancy_width = 0.05; ///< standard deviation of ln of the prior from which model_discrepancy was drawn
  CalibrationInfo calibration{};   ///< what the cluster's calibration says, if there is one
  std::vector<Prior> priors{};     ///< prior of each of parameter_fields(), before any calibration
  /// finds the servers at each scale, for a strategy that seeks the best
  std::shared_ptr<const BestServers> best_servers{};
  /// finds the layout at each scale, for a strategy that seeks its degrees
  std::shared_ptr<const BestLayout> best_layout{};
  InputUncertainty input_uncertainty{}; ///< uncertainty of the named input, which is drawn into samples.values[i].input
  std::shared_ptr<const Model> changed_model{}; ///< the model that `setup` refers to if the question changes the table
  std::shared_ptr<const Preset> stand_in{};     ///< the preset that `setup` refers to if the stack has none
  bool has_run = false;                         ///< the question repeats a run that took place: memory refuses nothing
  int threads = 1;                              ///< number of threads that share the samples; no answer depends on it
};

/// Returns the setup at another scale, with the best servers or layout there if the strategy seeks them.
StepSetup at_scale(const Curve& curve, int gpus);

/// A predicted point. Its number is the likeliest sample's time by `fidelity`. Its interval is that of the drawn
/// samples by the formulas, times the ratio of the likeliest sample's time by `fidelity` to its time by the formulas.
/// So the effect of contention moves the whole interval. Beyond growth_gpus the point has an error.
struct PointAndSamples {
  PredictedPoint point;
  std::vector<double> sample_times_s; ///< empty for a point with an error
};
PointAndSamples predict_point(const Curve& curve, int gpus, Fidelity fidelity);

/// Returns predict_point() at several scales, with exactly the same results. SimGrid simulates up to `curve.threads` of
/// them at a time while the formulas time the samples. `begins(gpus)` is called before each.
std::vector<PointAndSamples> predict_points(const Curve& curve, const std::vector<int>& scales, Fidelity fidelity,
                                            const std::function<void(int gpus)>& begins);

/// Returns why that scale is impossible (too many GPUs, a batch that does not fit, ...); "" when it is possible.
std::string why_impossible(const Curve& curve, int gpus);

/// Returns the operations of the likeliest sample by `fidelity`, and when each of them runs.
StepRun likeliest_run(const Curve& curve, int gpus, Fidelity fidelity);

/// Iteration time of one GPU without synchronisation on the same input, in that sample. Efficiency is relative to it.
double one_gpu_iteration_s(const Curve& curve, const Parameters& sample);

/// Returns whether the cluster's records include this point: the same stack, model, batch and scale.
bool was_measured(const Curve& curve, const PredictedPoint& point);

struct ShownEfficiency {
  double efficiency = 0;
  std::string largest_loss; ///< largest loss, apart from compute
};

/// Efficiency of the point at that scale, without its interval; nothing when the point is an error.
std::optional<ShownEfficiency> predicted_efficiency(const Curve& curve, int gpus, Fidelity fidelity);

/// Efficiency of one sample at that scale, by the formulas.
double efficiency(const Curve& curve, const Parameters& sample, int gpus);

/// Finds the parameter whose uncertainty widens the interval at `gpus` most, the measurement that would determine it,
/// and the half-width that would then remain. `times_s` are the samples' iteration times at that scale (sample_times).
/// The remaining half-width is half-width x sqrt(1 - r^2), with r the correlation of the parameter's z-score with
/// ln(iteration time) over the samples (linear regression; r^2 is the share of variance that one parameter explains).
MeasureNext find_measure_next(const Curve& curve, int gpus, const std::vector<double>& times_s);

} // namespace ddlsim
